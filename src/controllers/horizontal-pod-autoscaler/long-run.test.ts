import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';

const LABELS = { app: 'web' };
const CAPACITY = 100;

/** Upstream's four syncs a minute would do four times the work to show the same. */
const SYNC_PERIOD = { autoscalerSyncPeriod: '1m' } as const;

/** The total CPU demand at an hour, in thousandths: low at night, high by day. */
function demandAt(hour: number): number {
  return Math.round(550 - 500 * Math.cos((hour / 24) * 2 * Math.PI));
}

test('an autoscaler follows the load of a day', async ({ signal }) => {
  await using cluster = await startCluster({
    signal,
    seed: 'a day',
    startAt: '2026-01-01T00:00:00Z',
    controllerSettings: SYNC_PERIOD,
  });
  const { client, clock } = cluster;
  const deployments = client.apps.v1.deployments.namespace('default');
  const autoscalers = client.autoscaling.v2.horizontalpodautoscalers.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const resources = { requests: { cpu: `${CAPACITY}m` } };
  const spec = { containers: [{ name: 'c', image: 'i', resources }], terminationGracePeriodSeconds: 1 };
  await deployments.create({
    metadata: { name: 'web' },
    spec: { replicas: 1, selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec } },
  });
  await autoscalers.create({
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 15,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
      ],
    },
  });

  const counts: number[] = [];
  const share: number[] = [];
  for (let half = 0; half < 24 * 2; half++) {
    const demand = demandAt(half / 2);
    const spread = async (): Promise<number> => {
      const { items } = await pods.list({ labelSelector: LABELS });
      const cpu = `${Math.ceil(demand / items.length)}m`;
      const annotations = { 'sim.keelson.dev/cpu': cpu };
      for (const { metadata } of items)
        if (metadata.annotations?.['sim.keelson.dev/cpu'] !== cpu)
          await pods.patch(metadata.name, mergePatch({ metadata: { annotations } }));
      return items.length;
    };
    for (let minutes = 0; minutes < 30; minutes += 10) {
      await spread();
      await clock.advance('10m');
      await cluster.settle();
    }
    const count = await spread();
    counts.push(count);
    share.push(demand / count / CAPACITY);
  }

  expect(counts[0]).toBe(1);
  expect(Math.max(...counts)).toBe(13);
  expect(counts.at(-1)).toBeLessThanOrEqual(2);
  expect(counts.slice(0, 24).every((count, at) => at === 0 || count >= (counts[at - 1] ?? 0))).toBe(true);
  expect(counts.slice(25).every((count, at) => count <= (counts[24 + at] ?? 0))).toBe(true);
  expect(Math.max(...share)).toBeLessThan(0.9);
  const { status } = await autoscalers.get('web');
  expect(status?.conditions?.map(({ type, status: is }) => `${type}=${is}`)).toEqual([
    'AbleToScale=True',
    'ScalingActive=True',
    'ScalingLimited=False',
  ]);
  expect(cluster.problems).toEqual([]);
});
