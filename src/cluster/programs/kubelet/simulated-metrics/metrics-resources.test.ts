import { expect, test } from 'vitest';
import { APIService, clusterKind, mergePatch, namespacedKind } from '../../../../client/index.ts';
import { startCluster } from '../../../../testing/index.ts';

interface Metrics {
  metadata?: { name?: string };
  usage?: object;
  containers?: object[];
}

const NodeMetrics = clusterKind<Metrics>({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'NodeMetrics',
  plural: 'nodes',
});
const PodMetrics = namespacedKind<Metrics>({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
});
const NAME = 'v1beta1.metrics.k8s.io';

test('what simulated nodes and pods use is half of their requests, or what annotations say', async () => {
  await using cluster = await startCluster();
  const pods = cluster.client.core.v1.pods.namespace('default');
  await pods.create({
    metadata: { name: 'web', labels: { app: 'web' }, annotations: { 'sim.keelson.dev/memory.proxy': '64Mi' } },
    spec: {
      containers: [
        { name: 'web', image: 'web', resources: { requests: { cpu: '500m', memory: '1Gi' } } },
        { name: 'proxy', image: 'proxy' },
      ],
    },
  });
  await pods.create({ metadata: { name: 'other' }, spec: { containers: [{ name: 'other', image: 'other' }] } });
  await cluster.settle();

  const web = await cluster.client.kind(PodMetrics).namespace('default').get('web');
  expect(web.containers).toEqual([
    { name: 'web', usage: { cpu: '250m', memory: '512Mi' } },
    { name: 'proxy', usage: { cpu: '1m', memory: '64Mi' } },
  ]);
  const selected = await cluster.client.kind(PodMetrics).list({ labelSelector: 'app=web' });
  expect(selected.items.map(({ metadata }) => metadata.name)).toEqual(['web']);

  const [node] = (await cluster.client.kind(NodeMetrics).list()).items;
  expect(node?.usage).toEqual({ cpu: '352m', memory: '840Mi' });
  const annotated = mergePatch({ metadata: { annotations: { 'sim.keelson.dev/cpu': '3' } } });
  await cluster.client.core.v1.nodes.patch(node?.metadata.name ?? '', annotated);
  expect((await cluster.client.kind(NodeMetrics).get(node?.metadata.name ?? '')).usage).toMatchObject({ cpu: '3' });
});

test('another server may register the group, and is left alone', async () => {
  await using cluster = await startCluster();
  const services = cluster.client.kind(APIService);
  const made = await services.get(NAME);
  expect(made.spec).toMatchObject({ groupPriorityMinimum: 100, versionPriority: 100 });
  expect(made.metadata.labels).toBeUndefined();
  const service = { namespace: 'kube-system', name: 'metrics-server' };
  await services.patch(NAME, mergePatch({ spec: { insecureSkipTLSVerify: true, service } }));
  await cluster.settle();
  const taken = await services.get(NAME);
  expect(taken.spec?.service?.name).toBe('metrics-server');
  expect(taken.status?.conditions?.[0]).toMatchObject({ status: 'False', reason: 'ServiceNotFound' });

  await services.delete(NAME);
  await cluster.settle();
  await expect(services.get(NAME)).rejects.toMatchObject({ code: 404 });
  expect((await cluster.client.kind(NodeMetrics).list()).items).toHaveLength(1);
});
