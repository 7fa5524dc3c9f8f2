import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../testing/index.ts';

const DRIVER = 'gpu.example.com';

async function addPod(cluster: TestCluster, name: string): Promise<void> {
  const resourceClaims = [{ name: 'gpu', resourceClaimTemplateName: 'one' }];
  await cluster.client.core.v1.pods.namespace('default').create({
    metadata: { name },
    spec: { containers: [{ name: 'c', image: 'i', resources: { claims: [{ name: 'gpu' }] } }], resourceClaims },
  });
  await cluster.settle();
}

async function addTemplate({ client }: TestCluster): Promise<void> {
  const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }] };
  const templates = client.resource.v1.resourceclaimtemplates.namespace('default');
  await templates.create({ metadata: { name: 'one' }, spec: { spec: { devices } } });
}

test('pods with claims run on nodes that have devices, while there are free ones', async () => {
  await using cluster = await startCluster({ nodes: 2, simulatedDevices: { [DRIVER]: 1 } });
  const { core, resource } = cluster.client;
  await addTemplate(cluster);
  for (const name of ['one', 'two', 'three']) await addPod(cluster, name);

  const { items: slices } = await resource.v1.resourceslices.list();
  expect(slices.map(({ spec }) => [spec.driver, spec.nodeName, spec.devices?.length])).toEqual(
    ['keelson-1', 'keelson-2'].map((node) => [DRIVER, node, 1]),
  );
  const phases = async (): Promise<string[]> =>
    (await core.v1.pods.namespace('default').list()).items.map(
      ({ metadata, status }) => `${metadata.name} ${status?.phase}`,
    );
  expect(await phases()).toEqual(['one Running', 'three Pending', 'two Running']);
  const claims = resource.v1.resourceclaims.namespace('default');
  const inUse = (await claims.list()).items.filter(({ status }) => status?.reservedFor !== undefined);
  expect(inUse.map(({ status }) => status?.reservedFor?.[0]?.name).toSorted()).toEqual(['one', 'two']);

  await core.v1.pods.namespace('default').delete('one');
  await cluster.settle();
  await cluster.clock.advance('1m');
  expect(await phases()).toEqual(['three Running', 'two Running']);
});

test('a pod gets a device by the name of an extended resource, without a claim', async () => {
  await using cluster = await startCluster({ simulatedDevices: { [DRIVER]: 1 } });
  const { core, resource } = cluster.client;
  const pods = core.v1.pods.namespace('default');
  const limits = { [`deviceclass.resource.kubernetes.io/${DRIVER}`]: '1' };
  for (const name of ['one', 'two'])
    await pods.create({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i', resources: { limits } }] } });
  await cluster.settle();

  const { items } = await pods.list();
  const running = items.find(({ status }) => status?.phase === 'Running');
  expect(items.map(({ status }) => status?.phase).toSorted()).toEqual(['Pending', 'Running']);
  const { requestMappings, resourceClaimName = '' } = running?.status?.extendedResourceClaimStatus ?? {};
  expect(requestMappings).toEqual([
    { containerName: 'c', resourceName: Object.keys(limits)[0], requestName: 'container-0-request-0' },
  ]);
  const claims = resource.v1.resourceclaims.namespace('default');
  expect((await claims.get(resourceClaimName)).status?.reservedFor).toHaveLength(1);

  await pods.delete(running?.metadata.name ?? '');
  await cluster.settle();
  await cluster.clock.advance('1m');
  expect((await pods.list()).items.map(({ status }) => status?.phase)).toEqual(['Running']);
});

test('a pod that may not use its claim is not started, and reports the reason', async () => {
  await using cluster = await startCluster({ controllers: false, scheduler: false });
  const { core, resource } = cluster.client;
  const devices = { requests: [{ name: 'gpu', exactly: { deviceClassName: DRIVER } }] };
  const [node] = (await core.v1.nodes.list()).items;
  await resource.v1.resourceclaims.namespace('default').create({ metadata: { name: 'mine' }, spec: { devices } });
  await core.v1.pods.namespace('default').create({
    metadata: { name: 'p' },
    spec: {
      nodeName: node?.metadata.name,
      containers: [{ name: 'c', image: 'i' }],
      resourceClaims: [{ name: 'gpu', resourceClaimName: 'mine' }],
    },
  });
  await cluster.settle();

  expect((await core.v1.pods.namespace('default').get('p')).status?.phase).toBe('Pending');
  const { items } = await core.v1.events.namespace('default').list({ fieldSelector: 'involvedObject.name=p' });
  expect(items.map(({ reason, message }) => `${reason}: ${message}`).join()).toMatch(
    /FailedPrepareDynamicResources: Failed to prepare dynamic resources: prepare dynamic resources: pod p \(.*\) is not allowed to use ResourceClaim mine/,
  );
});
