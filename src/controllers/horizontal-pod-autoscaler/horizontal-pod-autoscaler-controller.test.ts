import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';
import { eventsIn } from '../testing/controller-cluster.ts';

test("a Deployment follows its pods' usage, up at once and down after the stabilization window", async () => {
  await using cluster = await startCluster({ seed: 'autoscaler', startAt: '2026-01-01T00:00:00Z' });
  const { client, clock } = cluster;
  const deployments = client.apps.v1.deployments.namespace('default');
  const autoscalers = client.autoscaling.v2.horizontalpodautoscalers.namespace('default');
  const labels = { app: 'web' };
  const template = (cpu: string) => ({
    metadata: { labels, annotations: { 'sim.keelson.dev/cpu': cpu } },
    spec: { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '100m' } } }] },
  });
  await deployments.create({
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: labels }, template: template('100m') },
  });
  await autoscalers.create({
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 6,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });
  const replicas = async (): Promise<number | undefined> => (await deployments.get('web')).spec?.replicas;
  await clock.advance('1m');
  await cluster.settle();
  expect(await replicas()).toBe(6);
  expect((await autoscalers.get('web')).status).toMatchObject({
    currentReplicas: 6,
    desiredReplicas: 6,
    currentMetrics: [
      { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 100, averageValue: '100m' } } },
    ],
    conditions: [
      { type: 'AbleToScale', status: 'True' },
      { type: 'ScalingActive', status: 'True', reason: 'ValidMetricFound' },
      { type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' },
    ],
  });
  expect((await eventsIn(client)).filter((event) => event.startsWith('horizontal'))).toEqual([
    'horizontal-pod-autoscaler about HorizontalPodAutoscaler web: Normal SuccessfulRescale: ' +
      'New size: 4; reason: cpu resource utilization (percentage of request) above target',
    'horizontal-pod-autoscaler about HorizontalPodAutoscaler web: Normal SuccessfulRescale: ' +
      'New size: 6; reason: cpu resource utilization (percentage of request) above target',
  ]);

  const pods = client.core.v1.pods.namespace('default');
  for (const { metadata } of (await pods.list()).items)
    await pods.patch(metadata.name, mergePatch({ metadata: { annotations: { 'sim.keelson.dev/cpu': '10m' } } }));
  await clock.advance('4m');
  await cluster.settle();
  expect(await replicas()).toBe(6);
  await clock.advance('3m');
  await cluster.settle();
  expect(await replicas()).toBe(2);
});
