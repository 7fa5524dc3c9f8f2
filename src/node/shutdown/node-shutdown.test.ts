import { expect, test } from 'vitest';
import { BoundedQueue } from '../../base/index.ts';
import { nodeAgent } from '../node-agents.ts';
import { MemoryMachine } from '../testing/memory-backend.ts';
import { NodeCluster } from '../testing/node-cluster.ts';
import { podOf } from '../testing/pod-views.ts';
import { periodsOf, shutdownGroups } from './shutdown-groups.ts';

test('pods end by priority: each in the last period that is not above its own', () => {
  const periods = [
    { priority: 100, graceSeconds: 5 },
    { priority: 0, graceSeconds: 10 },
  ];
  const pods = [-5, 0, 50, 100, 2000].map((priority) =>
    podOf({ metadata: { name: `p${priority}` }, spec: { priority, containers: [] } }),
  );
  expect(
    shutdownGroups(periods, pods).map((group) => [group.graceSeconds, group.pods.map(({ metadata }) => metadata.name)]),
  ).toEqual([
    [10, ['p-5', 'p0', 'p50']],
    [5, ['p100', 'p2000']],
  ]);
  expect(periodsOf(30_000, 10_000)).toEqual([
    { priority: 0, graceSeconds: 20 },
    { priority: 2_000_000_000, graceSeconds: 10 },
  ]);
  expect(periodsOf(0, 0)).toEqual([]);
});

test('a machine that shuts down ends its pods, takes no new ones, and is not ready; a cancellation ends that', async () => {
  const machine = new MemoryMachine();
  const announced = new BoundedQueue<boolean>(10);
  let released = 0;
  const source = {
    announcements: (signal: AbortSignal) => {
      signal.addEventListener('abort', () => announced.close(), { once: true });
      return announced;
    },
    release: async () => void released++,
  };
  const shutdown = { source, gracePeriod: '30s', criticalGracePeriod: '10s' } as const;
  await using cluster = await NodeCluster.start(nodeAgent({ backend: machine.open, shutdown }));
  await cluster.run({ metadata: { name: 'web' } });
  announced.offer(true);
  await cluster.settle();
  await cluster.advance('5s');
  const { status } = await cluster.pods.get('web');
  const message = 'Pod was terminated in response to imminent node shutdown.';
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Terminated', message });
  expect(status?.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
    status: 'True',
    reason: 'TerminationByKubelet',
    message,
  });
  expect(released).toBe(1);
  const late = await cluster.run({ metadata: { name: 'late' } });
  expect(late.status).toMatchObject({
    phase: 'Failed',
    reason: 'NodeShutdown',
    message: 'Pod was rejected: Pod was rejected as the node is shutting down.',
  });
  const ready = async (): Promise<unknown> => {
    const { status: now } = await cluster.client.core.v1.nodes.get('keelson');
    const { status: value, message: words } = now?.conditions?.find(({ type }) => type === 'Ready') ?? {};
    return [value, words];
  };
  expect(await ready()).toEqual(['False', 'node is shutting down']);
  announced.offer(false);
  await cluster.settle();
  await cluster.advance('10s');
  expect(await ready()).toEqual(['True', 'kubelet is posting ready status']);
  expect((await cluster.run({ metadata: { name: 'again' } })).status?.phase).toBe('Running');
});
