// Fifty writers at one quota: what there is never exceeds it, at any revision, and in the end it is used up and counted right.
import { expect, test } from 'vitest';
import { SeededRandom } from '../../src/base/index.ts';
import { StatusError } from '../../src/client/index.ts';
import { startCluster, type TestCluster } from '../../src/testing/index.ts';

const WRITERS = 50;
const TURNS = 12;
const PODS = 20;
const CPU_MILLIS = 5_000;

interface Usage {
  readonly pods: number;
  readonly cpuMillis: number;
}

/** The most there ever was at once, by the events after `from` until the pod `last` is deleted. */
async function mostUsed(cluster: TestCluster, from: string, last: string): Promise<Usage> {
  const cpuOf = new Map<string, number>();
  const most = { pods: 0, cpuMillis: 0 };
  for await (const event of cluster.client.core.v1.pods.namespace('default').watch({ resourceVersion: from })) {
    if (event.type === 'BOOKMARK') continue;
    const { metadata, spec } = event.object;
    const { cpu = '' } = spec?.containers[0]?.resources?.requests ?? {};
    if (event.type === 'DELETED') cpuOf.delete(metadata.name);
    else cpuOf.set(metadata.name, Number.parseInt(cpu, 10));
    const cpuMillis = [...cpuOf.values()].reduce((sum, each) => sum + each, 0);
    most.pods = Math.max(most.pods, cpuOf.size);
    most.cpuMillis = Math.max(most.cpuMillis, cpuMillis);
    if (event.type === 'DELETED' && metadata.name === last) break;
  }
  return most;
}

/** Creates and deletes pods of its own as chance has it. Resolves to how many creations were refused. */
async function write(cluster: TestCluster, writer: number): Promise<number> {
  const random = new SeededRandom(writer + 1);
  const pods = cluster.client.core.v1.pods.namespace('default');
  const own: string[] = [];
  let refused = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    const oldest = own[0];
    if (oldest !== undefined && random.float() < 0.4) {
      own.shift();
      await pods.delete(oldest, { gracePeriodSeconds: 0 });
      continue;
    }
    const name = `w${writer}-${turn}`;
    const requests = { cpu: `${100 + random.int(400)}m` };
    try {
      await pods.create({
        metadata: { name },
        spec: { containers: [{ name: 'c', image: 'i', resources: { requests } }] },
      });
      own.push(name);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== 403) throw error;
      expect(error.message).toContain('exceeded quota: q, requested: ');
      refused += 1;
    }
  }
  return refused;
}

test('fifty writers never exceed a quota, and leave it counted right', async () => {
  await using cluster = await startCluster({ nodes: 0, scheduler: false });
  const { core } = cluster.client;
  const pods = core.v1.pods.namespace('default');
  const quotas = core.v1.resourcequotas.namespace('default');
  const hard = { pods: String(PODS), 'requests.cpu': `${CPU_MILLIS}m` };
  await quotas.create({ metadata: { name: 'q' }, spec: { hard } });
  await cluster.settle();
  const { resourceVersion } = await pods.list();

  const refused = await Promise.all(Array.from({ length: WRITERS }, (_unused, writer) => write(cluster, writer)));
  await cluster.settle();

  const { items } = await pods.list();
  expect((await quotas.get('q')).status?.used).toMatchObject({ pods: String(items.length) });
  const last = items[0]?.metadata.name ?? '';
  await pods.delete(last, { gracePeriodSeconds: 0 });
  const most = await mostUsed(cluster, resourceVersion, last);
  expect(most.pods).toBeLessThanOrEqual(PODS);
  expect(most.cpuMillis).toBeLessThanOrEqual(CPU_MILLIS);
  expect(most.cpuMillis).toBeGreaterThan(CPU_MILLIS - 500); // or a writer was refused that had room
  expect(refused.filter((count) => count > 0).length).toBeGreaterThan(WRITERS / 2);
});
