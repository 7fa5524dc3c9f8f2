// Addresses of simulated pods belong to no network: the API server never dials them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { messageOf } from '../base/index.ts';
import { Pod } from '../client/index.ts';
import { MemoryMachine } from '../node/testing/memory-backend.ts';
import { startCluster, type TestCluster } from './index.ts';

let cluster: TestCluster;
let sockets = 0;
const count = (): void => void sockets++;

beforeAll(async () => {
  cluster = await startCluster();
  const pods = cluster.client.core.v1.pods.namespace('default');
  const services = cluster.client.core.v1.services.namespace('default');
  const containers = [{ name: 'main', image: 'hook' }];
  await pods.create({ metadata: { name: 'hook', labels: { app: 'hook' } }, spec: { containers } });
  await pods.create({
    metadata: { name: 'host', labels: { app: 'host' } },
    spec: { hostNetwork: true, containers },
  });
  for (const app of ['hook', 'host'])
    await services.create({
      metadata: { name: app },
      spec: { selector: { app }, ports: [{ port: 443, targetPort: 8443 }] },
    });
  await cluster.settle();
  subscribe('net.client.socket', count);
});
afterAll(async () => {
  unsubscribe('net.client.socket', count);
  await cluster[Symbol.asyncDispose]();
});
beforeEach(() => {
  sockets = 0;
});

async function addressOf(name: string): Promise<string> {
  const { status } = (await cluster.client.kindIn(Pod, 'default').get(name)) as Pod;
  return status?.podIP ?? '';
}

/** The error of a write that the webhook is asked about. */
async function refusalOf(clientConfig: object): Promise<string> {
  const hooks = cluster.client.admissionregistration.v1.validatingwebhookconfigurations;
  await hooks.create({
    metadata: { name: 'test' },
    webhooks: [
      {
        name: 'test.example.com',
        clientConfig,
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE'] }],
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 1,
      },
    ],
  });
  const maps = cluster.client.core.v1.configmaps.namespace('default');
  const refusal = await maps.create({ metadata: { name: 'asked' } }).then(() => 'none', messageOf);
  await hooks.delete('test');
  return refusal;
}

test('a webhook behind simulated pods is refused, with the reason', async () => {
  const service = { namespace: 'default', name: 'hook' };
  const ip = await addressOf('hook');
  const reason = 'pod "default/hook" is simulated and does not speak TLS';
  expect(await refusalOf({ service })).toContain(`: dial tcp ${ip}:8443: connect: connection refused: ${reason}`);
  expect(await refusalOf({ url: `https://${ip}:9443/` })).toContain(
    `: dial tcp ${ip}:9443: connect: connection refused: ${reason}`,
  );
  expect(sockets).toBe(0);
});

test('a webhook behind a simulated pod in the network of its node is refused too', async () => {
  const refusal = await refusalOf({ service: { namespace: 'default', name: 'host' } });
  expect(refusal).toContain('connection refused: pod "default/host" is simulated and does not speak TLS');
  expect(sockets).toBe(0);
});

test('an address of the range that no pod has is refused', async () => {
  expect(await refusalOf({ url: 'https://10.244.0.250:9443/' })).toContain(
    'dial tcp 10.244.0.250:9443: connect: connection refused: no pod of simulated node "keelson" has this address',
  );
  expect(sockets).toBe(0);
});

test('an API server behind simulated pods is not available', async () => {
  const services = cluster.client.apiregistration.v1.apiservices;
  await services.create({
    metadata: { name: 'v1.flunders.example.com' },
    spec: {
      group: 'flunders.example.com',
      version: 'v1',
      service: { namespace: 'default', name: 'hook', port: 443 },
      groupPriorityMinimum: 1000,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
    },
  });
  await cluster.settle();
  const { status } = await services.get('v1.flunders.example.com');
  expect(status?.conditions?.[0]).toMatchObject({ type: 'Available', status: 'False' });
  expect(status?.conditions?.[0]?.message).toContain('is simulated and does not speak TLS');
  expect(sockets).toBe(0);
  await services.delete('v1.flunders.example.com');
});

test('the proxy of pods and services reaches what simulated pods serve, and nothing over TLS', async () => {
  const namespace = '/api/v1/namespaces/default';
  const get = (path: string): Promise<unknown> =>
    cluster.client.request({ method: 'GET', path: `${namespace}/${path}`, maxRetries: 0 }).catch(messageOf);
  expect(await get('pods/http:hook:80/proxy/a')).toContain('GET /a of pod default/hook, port 80');
  expect(await get('services/hook:443/proxy/a')).toContain('GET /a of pod default/hook, port 8443');
  expect(await get('pods/https:hook:80/proxy/a')).toContain('pod "default/hook" is simulated and does not speak TLS');
  expect(sockets).toBe(0);
});

test('the pods of a simulated node of another process are refused, those of real nodes are dialled', async () => {
  const { nodes } = cluster.client.core.v1;
  const annotations = { 'keelson.dev/pod-network': 'none' };
  await nodes.create({ metadata: { name: 'elsewhere', annotations }, spec: { podCIDRs: ['10.99.0.0/24'] } });
  expect(await refusalOf({ url: 'https://10.99.0.9:1/' })).toContain(
    'connection refused: it is the address of a simulated pod on node "elsewhere", which runs in another process',
  );
  expect(sockets).toBe(0);
  await nodes.create({ metadata: { name: 'real' }, spec: { podCIDRs: ['127.77.0.0/24'] } });
  expect(await refusalOf({ url: 'https://127.77.0.9:1/' })).toMatch(
    /dial tcp 127.77.0.9:1: connect: connection refused$/,
  );
  expect(sockets).toBe(1);
  await nodes.delete('elsewhere');
  await nodes.delete('real');
});

test('pods of a backend with a network on loopback addresses are dialled there, as their sandboxes say', async () => {
  const served = createServer((_request, response) => response.end('{"from":"the process"}'));
  served.listen(0, '127.77.0.2');
  await once(served, 'listening');
  const { port } = served.address() as AddressInfo;
  const machine = new MemoryMachine();
  const network = { ip: '127.77.0.2', additionalIps: [] };
  const add = machine.sandboxes.set.bind(machine.sandboxes);
  machine.sandboxes.set = (id, sandbox) => add(id, { ...sandbox, network });
  await using own = await startCluster({ nodeBackend: (node, context) => machine.open(node, context) });
  const pods = own.client.core.v1.pods.namespace('default');
  const containers = [{ name: 'main', image: 'web' }];
  await pods.create({ metadata: { name: 'web' }, spec: { containers } });
  const forged = await pods.create({ metadata: { name: 'forged' }, spec: { containers, schedulerName: 'none' } });
  await pods.subresource('status').update({ ...forged, status: { podIPs: [{ ip: '127.77.0.2' }] } });
  await own.settle();
  const get = (name: string): Promise<unknown> =>
    own.client
      .request({ method: 'GET', path: `/api/v1/namespaces/default/pods/${name}:${port}/proxy/`, maxRetries: 0 })
      .catch(messageOf);

  expect(await get('web')).toEqual({ from: 'the process' });
  expect(await get('forged')).toBe('address not allowed');
  served.close();
});

test('a webhook behind a service of type ExternalName is called at that name', async () => {
  await cluster.client.core.v1.services
    .namespace('default')
    .create({ metadata: { name: 'outside' }, spec: { type: 'ExternalName', externalName: '127.0.0.1.invalid' } });
  const refusal = await refusalOf({ service: { namespace: 'default', name: 'outside', port: 9443 } });
  expect(refusal).toMatch(/outside\.default\.svc:9443.*dial tcp: lookup 127\.0\.0\.1\.invalid/);
});
