import { expect, test } from 'vitest';
import { mergePatch } from '../../client/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { statefulSetController } from './statefulset-controller.ts';
import { statefulSet } from './testing/samples.ts';

test('more pods than one run creates are created in several runs, and deleted', async () => {
  await using cluster = await startWith(statefulSetController());
  const { client } = cluster;
  const sets = client.apps.v1.statefulsets.namespace('default');
  const pods = client.core.v1.pods.namespace('default');
  await sets.create(statefulSet({ replicas: 620, podManagementPolicy: 'Parallel' }));
  await cluster.settle();
  expect((await pods.list()).items).toHaveLength(620);
  expect((await sets.get('web')).status).toMatchObject({ replicas: 620, updatedReplicas: 620 });

  await sets.patch('web', mergePatch({ spec: { replicas: 1 } }));
  await cluster.settle();
  expect((await pods.list()).items.map(({ metadata }) => metadata.name)).toEqual(['web-0']);
});

test('a set with an absurd number of replicas creates the first pod and waits', async () => {
  await using cluster = await startWith(statefulSetController());
  const { client } = cluster;
  await client.apps.v1.statefulsets.namespace('default').create(statefulSet({ replicas: 2 ** 31 - 1 }));
  await cluster.settle();
  const { items } = await client.core.v1.pods.namespace('default').list();
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-0']);
});
