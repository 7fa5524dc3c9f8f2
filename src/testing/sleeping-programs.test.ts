import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from './index.ts';

const LABELS = { app: 'web' };
const containers = [{ name: 'c', image: 'nginx' }];
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 2,
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers } },
  },
};

function begun({ apps }: TestCluster): readonly string[] {
  const parts = apps.flatMap((app) => app.parts());
  return parts.flatMap(({ name, isAsleep }) => (isAsleep === true ? [] : [name])).sort();
}

async function readyPods({ client }: TestCluster): Promise<number> {
  const { items } = await client.core.v1.pods.namespace('default').list({ labelSelector: LABELS });
  return items.filter(({ status }) =>
    status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  ).length;
}

test('programs sleep until there is work, and then do all that they would have done', async () => {
  await using cluster = await startCluster();
  expect(begun(cluster)).toEqual([]);

  await cluster.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'settings' } });
  await cluster.settle();
  expect(begun(cluster)).toEqual(['root-ca-certificate-publisher']);

  await cluster.client.core.v1.namespaces.create({ metadata: { name: 'team' } });
  await cluster.settle();
  const { serviceaccounts, configmaps } = cluster.client.core.v1;
  expect((await serviceaccounts.namespace('team').get('default')).metadata.name).toBe('default');
  expect((await configmaps.namespace('team').get('kube-root-ca.crt')).data?.['ca.crt']).toMatch('CERTIFICATE');

  await cluster.client.apps.v1.deployments.namespace('default').create(deployment);
  await cluster.settle();
  expect(await readyPods(cluster)).toBe(2);
  const notNeeded = ['cronjob', 'garbage-collector-controller', 'job', 'namespace', 'statefulset'];
  expect(begun(cluster).filter((name) => notNeeded.includes(name))).toEqual([]);
});

test('a deletion while all programs sleep also deletes dependents', async () => {
  await using cluster = await startCluster();
  await cluster.client.apps.v1.deployments.namespace('default').create(deployment);
  await cluster.settle();
  await using fork = await cluster.fork();
  await fork.client.apps.v1.deployments.namespace('default').delete('web');
  await fork.clock.advance('2m');
  await fork.settle();
  expect((await fork.client.apps.v1.replicasets.namespace('default').list()).items).toEqual([]);
  expect(await readyPods(fork)).toBe(0);
  expect(await readyPods(cluster)).toBe(2);
});

test('a missing owner wakes the garbage collector, an existing one does not', async () => {
  await using cluster = await startCluster();
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  const { uid } = (await maps.create({ metadata: { name: 'owner' } })).metadata;
  const owned = (name: string, ownerUid: string) => ({
    metadata: { name, ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: ownerUid }] },
  });
  await maps.create(owned('child', uid));
  await cluster.settle();
  expect(begun(cluster)).not.toContain('garbage-collector-controller');
  await maps.create(owned('orphan', '0e9a3c1e-6c8b-4b0e-8a39-9b1f0f8f7d11'));
  await cluster.settle();
  const names = (await maps.list()).items.map(({ metadata }) => metadata.name);
  expect(names).toContain('child');
  expect(names).not.toContain('orphan');
});

test('advancing time wakes programs that may have waited for it', async () => {
  await using cluster = await startCluster({ startAt: '2030-01-01T00:00:00Z' });
  const lease = () => cluster.client.coordination.v1.leases.namespace('kube-node-lease').get('keelson');
  await cluster.clock.advance('5m');
  const { spec } = await lease();
  expect(Date.parse(spec?.renewTime ?? '')).toBeGreaterThan(Date.parse('2030-01-01T00:04:30Z'));
  const node = await cluster.client.core.v1.nodes.get('keelson');
  expect(node.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
});

test('logs of a fork’s pods can be read, though nothing has changed in it', async () => {
  await using cluster = await startCluster();
  const pods = cluster.client.core.v1.pods.namespace('default');
  await pods.create({ metadata: { name: 'p' }, spec: { containers } });
  await cluster.settle();
  await using fork = await cluster.fork();
  const text = await fork.client.text('/api/v1/namespaces/default/pods/p/log');
  expect(typeof text).toBe('string');
});
