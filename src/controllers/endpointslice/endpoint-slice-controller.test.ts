import { describe, expect, test } from 'vitest';
import { startCluster } from '../../testing/index.ts';
import type { TestCluster } from '../../testing/index.ts';

const labels = { app: 'web' };

async function deploy(cluster: TestCluster, replicas: number): Promise<void> {
  await cluster.client.apps.v1.deployments.namespace('default').create({
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image: 'web', ports: [{ name: 'http', containerPort: 8080 }] }] },
      },
    },
  });
}

async function slicesOf(cluster: TestCluster) {
  const { items } = await cluster.client.discovery.v1.endpointslices.namespace('default').list({
    labelSelector: { 'kubernetes.io/service-name': 'web' },
  });
  return items;
}

describe('the endpoints of a service', () => {
  test('are a placeholder until there are pods, and then the pods, in both forms', async ({ signal }) => {
    await using cluster = await startCluster({ signal });
    const { services, endpoints } = cluster.client.core.v1;
    await services.namespace('default').create({
      metadata: { name: 'web', labels: { team: 'a' } },
      spec: { selector: labels, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
    });
    await cluster.settle();
    const [placeholder, ...more] = await slicesOf(cluster);
    expect(more).toEqual([]);
    expect(placeholder).toMatchObject({ endpoints: null, metadata: { labels: { team: 'a' } } });

    await deploy(cluster, 2);
    await cluster.settle();

    const [slice, ...others] = await slicesOf(cluster);
    expect(others).toEqual([]);
    expect(slice?.metadata.name).toBe(placeholder?.metadata.name);
    expect(slice?.ports).toEqual([{ name: 'web', port: 8080, protocol: 'TCP' }]);
    expect(slice?.endpoints).toHaveLength(2);
    for (const endpoint of slice?.endpoints ?? [])
      expect(endpoint).toMatchObject({
        conditions: { ready: true, serving: true, terminating: false },
        nodeName: 'keelson',
        targetRef: { kind: 'Pod' },
      });
    const { subsets } = await endpoints.namespace('default').get('web');
    expect(subsets).toMatchObject([{ ports: [{ name: 'web', port: 8080 }] }]);
    expect(subsets?.[0]?.addresses).toHaveLength(2);
    expect(cluster.problems).toEqual([]);
  });

  test('are spread over slices of a hundred, follow scaling, and are deleted with the service', async ({ signal }) => {
    await using cluster = await startCluster({ signal, nodes: 3 });
    const { services, endpoints } = cluster.client.core.v1;
    await services.namespace('default').create({
      metadata: { name: 'web' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    });
    await deploy(cluster, 150);
    await cluster.settle();
    const sizes = (await slicesOf(cluster)).map((slice) => slice.endpoints?.length ?? 0);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(150);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(100);

    await services.namespace('default').delete('web');
    await cluster.settle();

    expect(await slicesOf(cluster)).toEqual([]);
    expect((await endpoints.namespace('default').list()).items.map(({ metadata }) => metadata.name)).toEqual([]);
  });
});
