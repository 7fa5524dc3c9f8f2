import { expect, test } from 'vitest';
import { AggregatedPlane, FLUNDERS_NAME } from './testing/aggregated-plane.ts';
import { backendAuthority, BackendServer, sendJson, withDiscovery } from './testing/backend-server.ts';
import { API_SERVICES_PATH } from './registered-service.ts';

const SERVICES = '/api/v1/namespaces/wardle/services';
const SLICES = '/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices';
const service = { namespace: 'wardle', name: 'api', port: 443 };

const CLUSTER_IP = { metadata: { name: 'api' }, spec: { ports: [{ name: 'https', port: 443 }] } };

function slice(spec: object): object {
  const labels = { 'kubernetes.io/service-name': 'api' };
  return { metadata: { name: 'api-1', labels }, addressType: 'IPv4', ...spec };
}

/** A plane with flunders registered, and the writes of its tests. */
async function registered(options: Parameters<typeof AggregatedPlane.start>[0] = {}): Promise<AggregatedPlane> {
  const plane = await AggregatedPlane.start(options);
  const { self } = plane.plane.server;
  await self.create('/api/v1/namespaces', { metadata: { name: 'wardle' } });
  const spec = { group: 'wardle.example.com', version: 'v1alpha1', groupPriorityMinimum: 1000, versionPriority: 15 };
  await self.create(API_SERVICES_PATH, {
    metadata: { name: FLUNDERS_NAME },
    spec: { ...spec, service, caBundle: backendAuthority },
  });
  return plane;
}

test('reports step by step what is missing, as soon as it changes', async () => {
  await using plane = await registered();
  const { self } = plane.plane.server;
  const reasonIs = (reason: string) => plane.availability((condition) => condition.reason === reason);

  expect(await reasonIs('ServiceNotFound')).toMatchObject({
    status: 'False',
    message: 'service/api in "wardle" is not present',
  });
  await self.create(SERVICES, { metadata: { name: 'api' }, spec: { ports: [{ name: 'https', port: 8443 }] } });
  expect(await reasonIs('ServicePortError')).toMatchObject({
    status: 'False',
    message: 'service/api in "wardle" is not listening on port 443',
  });
  await self.delete(`${SERVICES}/api`);
  await self.create(SERVICES, CLUSTER_IP);
  expect(await reasonIs('EndpointsNotFound')).toMatchObject({
    status: 'False',
    message: 'cannot find endpointslices for service/api in "wardle"',
  });
  const endpoints = [{ addresses: ['192.0.2.1'], conditions: { ready: false } }];
  await self.create(SLICES, slice({ endpoints, ports: [{ name: 'https', port: 1 }] }));
  expect(await reasonIs('MissingEndpoints')).toMatchObject({
    status: 'False',
    message: 'endpointslices for service/api in "wardle" have no addresses with port name "https"',
  });
});

test('the server is called as the aggregator’s user', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start({ aggregation: { routing: 'cluster-ip' } });

  expect(await plane.register(backend.port)).toMatchObject({ status: 'True', reason: 'Passed' });
  expect(backend.requests[0]?.headers).toMatchObject({
    'x-remote-user': 'system:kube-aggregator',
    'x-remote-group': 'system:masters',
  });
});

test('with routing to endpoints, an ExternalName service is refused', async () => {
  await using plane = await registered({ aggregation: { routing: 'endpoints' } });
  await plane.plane.server.self.create(SERVICES, {
    metadata: { name: 'api' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });

  expect(await plane.availability(({ reason }) => reason === 'FailedDiscoveryCheck')).toMatchObject({
    message: 'unsupported service type "ExternalName"',
  });
});

test('counts transitions to unavailable, and follows an APIService that becomes local', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  await plane.plane.server.self.delete(`${SERVICES}/api`);
  await plane.availability(({ reason }) => reason === 'ServiceNotFound');
  await new Promise(setImmediate); // it is counted when the writer has its answer
  const { text } = await plane.get('/metrics');
  const path = `${API_SERVICES_PATH}/${FLUNDERS_NAME}`;
  const object = (await plane.get(path)).json();
  const { service: _, caBundle: __, ...spec } = object.spec;
  await plane.plane.server.self.update(path, { ...object, spec });

  expect(text).toContain(`aggregator_unavailable_apiservice{name="${FLUNDERS_NAME}"} 1`);
  expect(text).toContain('aggregator_unavailable_apiservice{name="v1.apps"} 0');
  expect(text).toContain(`aggregator_unavailable_apiservice_total{name="${FLUNDERS_NAME}",reason="ServiceNotFound"} 1`);
  expect(text).toContain('apiserver_kube_aggregator_x509_missing_san_total 0');
  expect(await plane.availability(({ reason }) => reason === 'Local')).toMatchObject({ status: 'True' });
});
