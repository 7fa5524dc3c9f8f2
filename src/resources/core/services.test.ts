import { expect, test } from 'vitest';
import { MERGE_PATCH, type Reply, TestApi } from '../testing/test-api.ts';

const SERVICES = '/api/v1/namespaces/kinds/services';
const ADDRESSES = '/apis/networking.k8s.io/v1/ipaddresses';

function service(
  name: string,
  spec: object = {},
): { apiVersion: string; kind: string; metadata: object; spec: object } {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } };
}

function specOf({ body }: Reply): { clusterIP: string; clusterIPs: string[]; ports: { nodePort?: number }[] } {
  return body['spec'] as ReturnType<typeof specOf>;
}

async function addressesOf(api: TestApi): Promise<string[]> {
  const { body } = await api.send('GET', ADDRESSES);
  return (body['items'] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
}

test('services created at the same time get different addresses and node ports', async () => {
  await using api = await TestApi.open({ nodePorts: { first: 30_000, last: 30_031 } });
  const replies = await Promise.all(
    Array.from({ length: 16 }, (_, index) => api.create(service(`s${index}`, { type: 'NodePort' }))),
  );
  expect(replies.map(({ code }) => code)).toEqual(replies.map(() => 201));
  const addresses = replies.map((reply) => specOf(reply).clusterIP);
  const ports = replies.map((reply) => specOf(reply).ports[0]?.nodePort);
  expect(new Set(addresses).size).toBe(16);
  expect(new Set(ports).size).toBe(16);
  expect((await addressesOf(api)).toSorted()).toEqual(addresses.toSorted());
});

test('a taken address is refused, and free again when its service is deleted', async () => {
  await using api = await TestApi.open();
  const wish = { clusterIP: '10.96.7.7' };
  expect((await api.create(service('a', wish))).code).toBe(201);
  const refused = await api.create(service('b', wish));
  expect(refused).toMatchObject({
    code: 422,
    body: {
      message:
        'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.7.7"]: failed to allocate IP 10.96.7.7: ' +
        'provided IP is already allocated',
    },
  });
  const { body } = await api.send('GET', `${ADDRESSES}/10.96.7.7`);
  expect(body['spec']).toEqual({ parentRef: { resource: 'services', namespace: 'kinds', name: 'a' } });
  await api.send('DELETE', `${SERVICES}/a`);
  expect(await addressesOf(api)).toEqual([]);
  expect((await api.create(service('b', wish))).code).toBe(201);
});

test('of many concurrent requests for the same address, one succeeds', async () => {
  await using api = await TestApi.open();
  const replies = await Promise.all(
    Array.from({ length: 8 }, (_, index) => api.create(service(`s${index}`, { clusterIP: '10.96.7.7' }))),
  );
  expect(replies.map(({ code }) => code).toSorted()).toEqual([201, ...Array.from({ length: 7 }, () => 422)]);
});

test('reports a full range', async () => {
  await using api = await TestApi.open({ serviceCidrs: ['10.1.0.0/30'], nodePorts: { first: 30_000, last: 30_000 } });
  await api.create(service('a', { type: 'NodePort' }));
  expect((await api.create(service('b', { type: 'NodePort' }))).body.message).toBe(
    'Internal error occurred: failed to allocate a nodePort: range is full',
  );
  await api.create(service('c'));
  const full = await api.create(service('d'));
  expect(full).toMatchObject({
    code: 500,
    body: { message: 'Internal error occurred: failed to allocate a serviceIP for Service "d": range is full' },
  });
  await api.send('DELETE', `${SERVICES}/a`);
  expect((await api.create(service('d', { type: 'NodePort' }))).code).toBe(201);
});

test('a service that becomes external releases everything, and gets new addresses when it changes back', async () => {
  await using api = await TestApi.open();
  await api.create(service('a', { type: 'NodePort' }));
  const path = `${SERVICES}/a`;
  const external = { spec: { type: 'ExternalName', externalName: 'example.com' } };
  const gone = await api.send('PATCH', path, external, MERGE_PATCH);
  expect(gone.code).toBe(200);
  expect(specOf(gone).clusterIP).toBeUndefined();
  expect(await addressesOf(api)).toEqual([]);
  const back = await api.send('PATCH', path, { spec: { type: 'ClusterIP', externalName: null } }, MERGE_PATCH);
  expect(await addressesOf(api)).toEqual([specOf(back).clusterIP]);
});

test('headless services have no address, and a dry run allocates none', async () => {
  await using api = await TestApi.open();
  const headless = await api.create(service('a', { clusterIP: 'None' }));
  expect(specOf(headless)).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'] });
  expect((await api.create(service('b'), '?dryRun=All')).code).toBe(201);
  expect(await addressesOf(api)).toEqual([]);
});

test('with two families a service may request both', async () => {
  await using api = await TestApi.open({ serviceCidrs: ['10.96.0.0/16', 'fd00::/112'] });
  const both = await api.create(service('a', { ipFamilyPolicy: 'RequireDualStack' }));
  expect(specOf(both)).toMatchObject({ ipFamilies: ['IPv4', 'IPv6'] });
  expect(specOf(both).clusterIPs).toHaveLength(2);
  const preferred = await api.create(service('b', { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6'] }));
  expect(specOf(preferred)).toMatchObject({ ipFamilies: ['IPv6', 'IPv4'] });
  expect((await addressesOf(api)).length).toBe(4);
});

test('an allocated address does not change', async () => {
  await using api = await TestApi.open();
  await api.create(service('a'));
  const moved = await api.send('PATCH', `${SERVICES}/a`, { spec: { clusterIP: '10.96.9.9' } }, MERGE_PATCH);
  expect(moved.code).toBe(422);
  expect(moved.body.details?.causes?.map(({ field }) => field)).toEqual(['spec.clusterIPs[0]']);
});
