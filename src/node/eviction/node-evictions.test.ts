import { expect, test } from 'vitest';
import { nodeAgent } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';
import type { EvictionSignal, Observation } from './signals.ts';

const MIB = 1024 * 1024;

/** A node whose memory is what the test says, less what its pods are said to use. */
class Scarcity {
  readonly machine = new MemoryMachine();
  freeMebibytes = 1000;
  freeDiskMebibytes = 1000;
  /** By the name of the pod. */
  readonly used = new Map<string, number>();

  constructor() {
    this.machine.meter = {
      measure: async (pods) => {
        const memory = { available: this.freeMebibytes * MIB, capacity: 1000 * MIB };
        const disk = { available: this.freeDiskMebibytes * MIB, capacity: 1000 * MIB };
        const observations = new Map<EvictionSignal, Observation>([
          ['memory.available', memory],
          ['nodefs.available', disk],
        ]);
        const nothing = { bytes: 0, inodes: 0 };
        return {
          observations,
          hasImageFilesystem: false,
          pods: new Map(
            pods.map(({ metadata }) => {
              const memoryBytes = (this.used.get(metadata.name) ?? 0) * MIB;
              const container = { memoryBytes, rootfs: nothing, logs: nothing };
              return [
                metadata.uid,
                { memoryBytes, processes: 1, containers: new Map([['web', container]]), volumes: new Map() },
              ];
            }),
          ),
        };
      },
    };
  }

  start(): Promise<NodeCluster> {
    return NodeCluster.start(nodeAgent({ backend: this.machine.open, eviction: {} }));
  }
}

test('a node that is low on memory evicts the pod that uses most beyond its request, and refuses new ones', async () => {
  const scarcity = new Scarcity();
  await using cluster = await scarcity.start();
  for (const name of ['small', 'large', 'other']) await cluster.run({ metadata: { name } });
  scarcity.used.set('small', 10).set('large', 500).set('other', 20);
  scarcity.freeMebibytes = 50;
  await cluster.advance('10s');
  scarcity.freeMebibytes = 550;
  await cluster.advance('5s');
  await cluster.advance('10s');
  const { status } = await cluster.pods.get('large');
  const message =
    'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. Container web was using 500Mi, request is 0, has larger consumption of memory. ';
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message });
  const disruption = status?.conditions?.find(({ type }) => type === 'DisruptionTarget');
  expect(disruption).toMatchObject({ status: 'True', reason: 'TerminationByKubelet', message });
  expect(await cluster.events('large')).toContain(`Warning Evicted: ${message}`);
  expect(await cluster.events('keelson')).toContain('Warning EvictionThresholdMet: Attempting to reclaim memory');
  for (const name of ['small', 'other']) expect((await cluster.pods.get(name)).status?.phase).toBe('Running');

  const node = async (): Promise<string | undefined> => {
    const { status: now } = await cluster.client.core.v1.nodes.get('keelson');
    return now?.conditions?.find(({ type }) => type === 'MemoryPressure')?.status;
  };
  expect(await node()).toBe('True');
  const refused = await cluster.run({ metadata: { name: 'late' } });
  expect(refused.status).toMatchObject({
    phase: 'Failed',
    reason: 'Evicted',
    message: 'Pod was rejected: The node had condition: [MemoryPressure]. ',
  });
  const burstable = [{ name: 'web', image: 'nginx:1', resources: { requests: { memory: '1Mi' } } }];
  const taken = await cluster.run({ metadata: { name: 'burstable' }, spec: { containers: burstable } });
  expect(taken.status?.phase).toBe('Running');
  await cluster.advance('5m');
  await cluster.advance('10s');
  expect(await node()).toBe('False');
});

test('images that nothing uses go before pods do', async () => {
  const scarcity = new Scarcity();
  await using cluster = await scarcity.start();
  await cluster.run({ metadata: { name: 'web' } });
  scarcity.machine.images.names.add('unused:1');
  scarcity.freeDiskMebibytes = 50;
  const { images } = scarcity.machine;
  const remove = images.removeImage.bind(images);
  images.removeImage = (image) => {
    scarcity.freeDiskMebibytes = 500;
    return remove(image);
  };
  await cluster.advance('10s');
  await cluster.advance('10s');
  expect([...images.names]).toEqual(['nginx:1.29']);
  expect((await cluster.pods.get('web')).status?.phase).toBe('Running');
});
