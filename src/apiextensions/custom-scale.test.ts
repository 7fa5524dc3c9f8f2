import { expect, test } from 'vitest';
import { type KubernetesObject, namespacedKind } from '../client/index.ts';
import { startCluster } from '../testing/index.ts';

const Widget = namespacedKind<KubernetesObject & { readonly spec?: unknown }>({
  apiVersion: 'example.dev/v1',
  kind: 'Widget',
  plural: 'widgets',
});

test('the Scale of a custom object is that object, with its size', async () => {
  await using cluster = await startCluster({ nodes: 0 });
  await cluster.client.apiextensions.v1.customresourcedefinitions.create({
    metadata: { name: 'widgets.example.dev' },
    spec: {
      group: 'example.dev',
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });
  await cluster.settle();
  const widgets = cluster.client.kind(Widget).namespace('default');
  const { metadata } = await widgets.create({ metadata: { name: 'a', labels: { is: 'left-out' } }, spec: { size: 3 } });
  const { name, namespace, uid, resourceVersion, creationTimestamp } = metadata;

  expect(await widgets.scale.get('a')).toEqual({
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: { replicas: 3 },
    status: { replicas: 0 },
  });
});
