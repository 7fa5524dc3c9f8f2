import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, mergePatch } from '../../src/client/index.ts';

/** Something for controllers to do. Resolves to how many seconds that took, by what it is called. */
export type Load = (client: Client, scale: number) => Promise<Readonly<Record<string, number>>>;

const AT_ONCE = 50;
const LOOK_MS = 100;
const MAX_LOAD_MS = 10 * 60_000;

export const loads: readonly Load[] = [deployment, jobs, namespace];

const container = { name: 'c', image: 'registry.example/app:1' };

async function deployment(client: Client, scale: number): Promise<Readonly<Record<string, number>>> {
  const replicas = Math.round(1000 * scale);
  const deployments = client.apps.v1.deployments.namespace('default');
  const isRolledOut = async (): Promise<boolean> => {
    const { metadata, status } = await deployments.get('many');
    const { observedGeneration = 0, updatedReplicas = 0, availableReplicas = 0 } = status ?? {};
    const hasAll = updatedReplicas === replicas && availableReplicas === replicas && status?.replicas === replicas;
    return observedGeneration === metadata.generation && hasAll;
  };
  const labels = { app: 'many' };
  const what = `Deployment of ${replicas.toLocaleString('en')} pods`;
  const took = {
    [`${what} scaled up`]: await seconds(async () => {
      const template = { metadata: { labels }, spec: { containers: [container] } };
      await deployments.create({
        metadata: { name: 'many' },
        spec: { replicas, selector: { matchLabels: labels }, template },
      });
    }, isRolledOut),
    [`${what} rolled`]: await seconds(
      () => deployments.patch('many', mergePatch({ spec: { template: { metadata: { labels: { round: '2' } } } } })),
      isRolledOut,
    ),
    [`${what} scaled down`]: await seconds(
      () => deployments.patch('many', mergePatch({ spec: { replicas: 0 } })),
      async () => (await deployments.get('many')).status?.replicas === undefined && (await podsLeft(client)) === 0,
    ),
  };
  await deployments.delete('many');
  return took;
}

async function jobs(client: Client, scale: number): Promise<Readonly<Record<string, number>>> {
  const count = Math.round(2000 * scale);
  const all = client.batch.v1.jobs.namespace('default');
  const template = {
    metadata: { annotations: { 'sim.keelson.dev/exit-code': '0' } },
    spec: { restartPolicy: 'Never' as const, containers: [container] },
  };
  const took = await seconds(
    () => inParallel(count, (index) => all.create({ metadata: { name: `job-${index}` }, spec: { template } })),
    async () => {
      const { items } = await all.list();
      return (
        items.filter(({ status }) => status?.succeeded === 1 && status.completionTime !== undefined).length === count
      );
    },
  );
  await all.deleteCollection({ propagationPolicy: 'Background' });
  await until(async () => (await podsLeft(client)) === 0);
  return { [`${count.toLocaleString('en')} Jobs to completion`]: took };
}

async function namespace(client: Client, scale: number): Promise<Readonly<Record<string, number>>> {
  const count = Math.round(5000 * scale);
  const { namespaces, configmaps } = client.core.v1;
  await namespaces.create({ metadata: { name: 'large' } });
  await inParallel(count, (index) =>
    configmaps.namespace('large').create({ metadata: { name: `map-${index}` }, data: { key: 'value' } }),
  );
  const took = await seconds(
    () => namespaces.delete('large'),
    async () => !(await namespaces.list()).items.some(({ metadata }) => metadata.name === 'large'),
  );
  return { [`namespace of ${count.toLocaleString('en')} objects deleted`]: took };
}

async function podsLeft(client: Client): Promise<number> {
  return (await client.core.v1.pods.namespace('default').list()).items.length;
}

async function seconds(begin: () => Promise<unknown>, isDone: () => Promise<boolean>): Promise<number> {
  const start = performance.now();
  await begin();
  await until(isDone);
  return (performance.now() - start) / 1000;
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + MAX_LOAD_MS;
  while (!(await isDone())) {
    if (Date.now() > end) throw new Error('Cannot go on: the controllers did not get done with it in ten minutes');
    await sleep(LOOK_MS);
  }
}

async function inParallel(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await act(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}
