import { expect, test } from 'vitest';
import { agentMetrics } from '../agent-metrics.ts';
import { VirtualClock } from '../../base/index.ts';
import { podOf } from '../testing/pod-views.ts';
import type { PodVolumeStats } from './pod-volumes.ts';
import { PodVolumesUsage } from './volume-usage.ts';

const pod = podOf({
  spec: {
    containers: [],
    volumes: [
      { name: 'scratch', emptyDir: {} },
      { name: 'memory', emptyDir: { medium: 'Memory' } },
      { name: 'settings', configMap: { name: 'c' } },
      { name: 'data', persistentVolumeClaim: { claimName: 'db' } },
    ],
  },
});

test('volumes have the names that their pod gives them, the claim behind them, and say whether they are on the node', async () => {
  const stats = async (): Promise<readonly PodVolumeStats[]> => [
    { name: 'scratch', claim: undefined, usedBytes: 1, inodesUsed: 2 },
    { name: 'memory', claim: undefined, usedBytes: 3 },
    { name: 'settings', claim: undefined },
    { name: 'data', claim: { namespace: 'default', name: 'db' }, capacityBytes: 4 },
  ];
  const usage = new PodVolumesUsage({ clock: new VirtualClock(), volumes: { stats }, metrics: agentMetrics() });
  const nothing = { capacityBytes: 0, availableBytes: 0, usedBytes: 0, inodes: 0, inodesFree: 0, inodesUsed: 0 };
  expect(await usage.of(pod)).toEqual([
    { ...nothing, name: 'scratch', claim: undefined, isEphemeral: true, usedBytes: 1, inodesUsed: 2 },
    { ...nothing, name: 'memory', claim: undefined, isEphemeral: false, usedBytes: 3 },
    { ...nothing, name: 'settings', claim: undefined, isEphemeral: true },
    { ...nothing, name: 'data', claim: 'db', isEphemeral: false, capacityBytes: 4 },
  ]);
});

test('volumes are measured at most once a minute, also for callers at the same time', async () => {
  const clock = new VirtualClock();
  let measured = 0;
  const stats = async (): Promise<readonly PodVolumeStats[]> => {
    measured += 1;
    return [];
  };
  const usage = new PodVolumesUsage({ clock, volumes: { stats }, metrics: agentMetrics() });
  await Promise.all([usage.of(pod), usage.of(pod)]);
  await clock.advance('59s');
  await usage.of(pod);
  expect(measured).toBe(1);
  await clock.advance('1s');
  await usage.of(pod);
  expect(measured).toBe(2);
});
