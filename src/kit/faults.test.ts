import { describe, expect, onTestFinished, test } from 'vitest';
import { SeededRandom, settle, type VirtualClock } from '../base/index.ts';
import {
  type Client,
  ConfigMap,
  FaultyTransport,
  keyOf,
  noFaults,
  type Observed,
  Pod,
  type ResourceClient,
  Secret,
  type StatusError,
} from '../client/index.ts';
import { TestCluster } from '../client/testing/test-cluster.ts';
import { app, controlledBy, controller, type Controller } from './index.ts';

const OWNER = 'role=owner';

/** Keeps as many secrets as the map says with `desire`, and as many pods by counting, creating and deleting. */
function keeper(overshoots: string[]): Controller {
  return controller(ConfigMap, {
    name: 'keeper',
    where: { labelSelector: OWNER },
    owns: [Secret],
    watches: [controlledBy(Pod)],
    concurrency: 3,
    async reconcile(map, { desireAll, objects }) {
      const size = Number(map.data?.['size'] ?? 0);
      const secrets = Array.from({ length: size }, (_, index) => ({
        metadata: { name: `${map.metadata.uid}-${index}` },
        stringData: { size: String(size) },
      }));
      await desireAll(Secret, secrets);
      const pods = objects(Pod).list({ controlledBy: map.metadata.uid });
      if (pods.length > size) overshoots.push(`${map.metadata.name}: ${pods.length} instead of ${size}`);
      const missing = size - pods.length;
      for (let index = 0; index < missing; index++) await objects(Pod).create(podOf(map));
      for (const pod of pods.slice(0, Math.max(0, -missing))) await objects(Pod).delete(keyOf(pod));
    },
    finalize: () => undefined,
  });
}

function podOf({ metadata: { name, uid, namespace } }: Observed<ConfigMap>): object {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
  return {
    metadata: { generateName: `${name}-`, namespace, ownerReferences: [owner] },
    spec: { containers: [{ name: 'c', image: 'i' }], terminationGracePeriodSeconds: 0 },
  };
}

/** Creates, changes and deletes maps, and deletes children. */
async function meddle(client: Client, clock: VirtualClock, random: SeededRandom): Promise<void> {
  const maps = client.core.v1.configmaps.namespace('default');
  const secrets = client.core.v1.secrets.namespace('default');
  for (let step = 0; step < 60; step++) {
    const name = step < 58 ? `m${random.int(4)}` : `last-${step}`;
    const size = random.int(5);
    const dice = step < 58 ? random.int(10) : 9;
    const map = { metadata: { name, labels: { role: 'owner' } }, data: { size: String(size) } };
    if (dice < 2) await maps.delete(name).catch(ignoreMissing);
    else if (dice < 4) await deleteOne(secrets, random);
    else await maps.apply(map, { fieldManager: 'x', force: true });
    await clock.advance(random.int(3000));
  }
}

async function deleteOne(secrets: ResourceClient<Secret>, random: SeededRandom): Promise<void> {
  const { items } = await secrets.list();
  const victim = items[random.int(Math.max(1, items.length))];
  if (victim !== undefined) await secrets.delete(victim.metadata.name);
}

function ignoreMissing(error: StatusError): void {
  expect(error.code).toBe(404);
}

describe('with faults between client and server', () => {
  test.each(['a', 'b', 'c', 'd', 'e'])('a controller reaches the desired state, seed %s', async (seed) => {
    const cluster = await TestCluster.start({ seed });
    const clock = cluster.clock as VirtualClock;
    const random = new SeededRandom(`faults ${seed}`);
    const faulty = new FaultyTransport(cluster.transport('in process'), { clock, random });
    const made = app('keeper', [keeper([])]);
    const stop = new AbortController();
    const running = made.run(cluster.clientOver(faulty), stop.signal);
    const client = cluster.client();
    onTestFinished(async () => {
      stop.abort();
      await running;
      await cluster[Symbol.asyncDispose]();
    });

    await meddle(client, clock, random);
    faulty.change();
    await clock.advance('1h');
    await settle();

    expect(made.isIdle).toBe(true);
    const maps = (await client.core.v1.configmaps.namespace('default').list({ labelSelector: OWNER })).items;
    const pods = (await client.core.v1.pods.namespace('default').list()).items;
    const secrets = (await client.core.v1.secrets.namespace('default').list()).items;
    expect(maps.length).toBeGreaterThan(0);
    for (const map of maps) {
      const size = Number(map.data?.['size']);
      expect(map.metadata.deletionTimestamp).toBeUndefined();
      expect(map.metadata.finalizers).toEqual(['keeper/keeper']);
      const isOurs = ({ metadata }: Observed<Pod> | Observed<Secret>): boolean =>
        metadata.ownerReferences?.[0]?.uid === map.metadata.uid;
      expect(pods.filter(isOurs)).toHaveLength(size);
      expect(
        secrets
          .filter(isOurs)
          .map(({ metadata }) => metadata.name)
          .sort(),
      ).toEqual(Array.from({ length: size }, (_, index) => `${map.metadata.uid}-${index}`));
    }
    expect(faulty.faults.size).toBeGreaterThan(0);
  });

  test('a controller never creates too many children because its watch lags', async () => {
    const overshoots: string[] = [];
    const cluster = await TestCluster.start();
    const clock = cluster.clock as VirtualClock;
    const random = new SeededRandom('late');
    const rates = { ...noFaults, cut: 0.05, late: 0.5, duplicate: 0.1, expired: 0.05, delay: 0.2 };
    const faulty = new FaultyTransport(cluster.transport('in process'), { clock, random, rates });
    const stop = new AbortController();
    const running = app('keeper', [keeper(overshoots)]).run(cluster.clientOver(faulty), stop.signal);
    const client = cluster.client();
    for (let index = 0; index < 5; index++) {
      await client.core.v1.configmaps
        .namespace('default')
        .create({ metadata: { name: `m${index}`, labels: { role: 'owner' } }, data: { size: '5' } });
      await clock.advance('1s');
    }
    await clock.advance('10m');
    expect(overshoots).toEqual([]);
    expect((await client.core.v1.pods.namespace('default').list()).items).toHaveLength(25);
    stop.abort();
    await running;
    await cluster[Symbol.asyncDispose]();
  });
});
