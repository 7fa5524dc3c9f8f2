import { expect, test } from 'vitest';
import { builtInTypes, type Shape } from '../api/index.ts';
import { KUBERNETES_RELEASES, type KubernetesVersion } from '../base/index.ts';
import { startCluster } from './start-cluster.ts';
import type { TestCluster } from './test-cluster.ts';

const versions = Object.keys(KUBERNETES_RELEASES) as KubernetesVersion[];

test.each(versions)(
  'a cluster of Kubernetes %s runs pods, and shows no field that it does not know',
  async (version) => {
    await using cluster = await startCluster({ kubernetesVersion: version });
    await cluster.client.apps.v1.deployments.namespace('default').create({
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx', ports: [{ containerPort: 80 }] }] },
        },
      },
    });
    await cluster.settle();
    const pods = await cluster.client.core.v1.pods.namespace('default').list();
    expect(pods.items.map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
    expect(cluster.problems).toEqual([]);

    const reported = (await read(cluster, '/version')) as { gitVersion: string; minor: string };
    expect(reported.gitVersion.startsWith(`${KUBERNETES_RELEASES[version]}+keelson-`)).toBe(true);
    expect(reported.minor).toBe(version.slice('1.'.length));
    expect(await unknownFields(cluster, version)).toEqual([]);
  },
);

test('a cluster starts with no version but those that are served', async () => {
  const version: string = '1.20';
  await expect(startCluster({ kubernetesVersion: version as KubernetesVersion })).rejects.toThrow(
    'Cannot start a cluster of Kubernetes "1.20": the versions are 1.33, 1.34, 1.35, 1.36, 1.37',
  );
});

/** The fields of all objects of the cluster that are not those of the version. */
async function unknownFields(cluster: TestCluster, version: KubernetesVersion): Promise<string[]> {
  const found = new Set<string>();
  for (const { group, version: own, plural, verbs, type } of builtInTypes(version).resources()) {
    if (!verbs.includes('list') || (own !== 'v1' && own !== 'v2')) continue;
    const path = group === '' ? `/api/${own}/${plural}` : `/apis/${group}/${own}/${plural}`;
    const list = (await read(cluster, path)) as { items: readonly unknown[] | null };
    for (const item of list.items ?? []) collect(item, { kind: 'struct', struct: type }, plural, found);
  }
  return [...found];
}

function read({ client }: TestCluster, path: string): Promise<unknown> {
  return client.request({ method: 'GET', path });
}

function collect(value: unknown, shape: Shape, path: string, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    if (shape.kind === 'list') for (const item of value) collect(item, shape.element, path, found);
    return;
  }
  if (shape.kind !== 'struct' && shape.kind !== 'map') return;
  for (const [name, member] of Object.entries(value)) {
    const inner = shape.kind === 'map' ? shape.value : shape.struct.field(name)?.shape;
    if (inner === undefined) found.add(`${path}.${name}`);
    else collect(member, inner, `${path}.${name}`, found);
  }
}
