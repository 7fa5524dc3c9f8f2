import { expect, test } from 'vitest';
import { SeededRandom } from '../../base/index.ts';
import { FaultyTransport, mergePatch, noFaults, unreliableNetwork } from '../../client/index.ts';
import { startCluster } from '../../testing/index.ts';

const LABELS = { app: 'web' };

test("a Deployment follows its pods' usage despite injected faults", async ({ signal }) => {
  const faulty: FaultyTransport[] = [];
  const random = new SeededRandom('faults of autoscalers');
  await using cluster = await startCluster({
    signal,
    seed: 'autoscalers',
    wrapTransport: (transport, { clock }) => {
      const bad = new FaultyTransport(transport, { clock, random, rates: noFaults });
      faulty.push(bad);
      return bad;
    },
  });
  const { client, clock } = cluster;
  const deployments = client.apps.v1.deployments.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  const resources = { requests: { cpu: '100m' } };
  const spec = { containers: [{ name: 'c', image: 'i', resources }] };
  await deployments.create({
    metadata: { name: 'web' },
    spec: { replicas: 2, selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec } },
  });
  await client.autoscaling.v2.horizontalpodautoscalers.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      maxReplicas: 6,
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
      ],
    },
  });
  /** Runs some minutes in which every pod uses this much. */
  const live = async (cpu: string, minutes: number): Promise<number | undefined> => {
    for (let minute = 0; minute < minutes; minute++) {
      for (const { metadata } of (await pods.list({ labelSelector: LABELS })).items)
        await pods.patch(metadata.name, mergePatch({ metadata: { annotations: { 'sim.keelson.dev/cpu': cpu } } }));
      await clock.advance('1m');
    }
    return (await deployments.get('web')).spec?.replicas;
  };
  await cluster.settle();
  for (const transport of faulty) transport.change(unreliableNetwork);
  expect(await live('200m', 10)).toBe(6);
  expect(await live('5m', 20)).toBe(1);
  expect(await live('200m', 10)).toBe(6);
  expect(faulty.reduce((total, { faults }) => total + faults.size, 0)).toBeGreaterThan(0);
});
