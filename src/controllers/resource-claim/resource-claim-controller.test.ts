import { expect, test } from 'vitest';
import { mergePatch, type ResourceClient } from '../../client/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { ResourceClaim } from '../../api/types/resource/v1.d.ts';
import type { TestCluster } from '../../testing/index.ts';
import { startWith } from '../testing/controller-cluster.ts';
import { resourceClaimController } from './resource-claim-controller.ts';

const request = { name: 'gpu', exactly: { deviceClassName: 'gpu' } };

interface World {
  readonly cluster: TestCluster;
  readonly pods: ResourceClient<Pod>;
  readonly claims: ResourceClient<ResourceClaim>;
}

async function start(): Promise<World> {
  const cluster = await startWith(resourceClaimController());
  const { core, resource } = cluster.client;
  const spec = { spec: { devices: { requests: [request] } } };
  await resource.v1.resourceclaimtemplates.namespace('default').create({ metadata: { name: 'one' }, spec });
  return {
    cluster,
    pods: core.v1.pods.namespace('default'),
    claims: resource.v1.resourceclaims.namespace('default'),
  };
}

async function namesOf(pods: ResourceClient<Pod>, name: string): Promise<string[]> {
  const { status } = await pods.get(name);
  return (status?.resourceClaimStatuses ?? []).map(({ resourceClaimName = '' }) => resourceClaimName);
}

// kube-controller-manager intends this too, but takes an hour: its cache of created claims still contains the deleted
// one
test('a deleted claim is created again, and other claims of the pod stay', async () => {
  const { cluster, pods, claims } = await start();
  await using _ = cluster;
  const resourceClaims = ['a', 'b'].map((name) => ({ name, resourceClaimTemplateName: 'one' }));
  await pods.create({ metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }], resourceClaims } });
  await cluster.settle();
  const [first = '', second = ''] = await namesOf(pods, 'p');

  await claims.delete(first);
  await cluster.settle();

  const [another, same] = await namesOf(pods, 'p');
  expect(same).toBe(second);
  expect((await claims.list()).items.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    [another, second].toSorted(),
  );
});

// kube-controller-manager keeps reserving the claim for the finished pod
test('a finished pod does not get back a claim that another pod uses', async () => {
  const { cluster, pods, claims } = await start();
  await using _ = cluster;
  await claims.create({ metadata: { name: 'shared' }, spec: { devices: { requests: [request] } } });
  for (const name of ['one', 'two'])
    await pods.create({
      metadata: { name },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'c', image: 'i' }],
        resourceClaims: [{ name: 'gpu', resourceClaimName: 'shared' }],
      },
    });
  const results = [{ request: 'gpu', driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0' }];
  await claims.status.patch('shared', mergePatch({ status: { allocation: { devices: { results } } } }));
  await cluster.settle();
  const users = async (): Promise<string[]> =>
    ((await claims.get('shared')).status?.reservedFor ?? []).map(({ name }) => name).toSorted();
  expect(await users()).toEqual(['one', 'two']);

  await pods.status.patch('one', mergePatch({ status: { phase: 'Succeeded' } }));
  await cluster.settle();

  expect(await users()).toEqual(['two']);
});
