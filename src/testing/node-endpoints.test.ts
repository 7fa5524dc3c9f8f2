import { readFile } from 'node:fs/promises';
import { request } from 'node:https';
import { expect, test } from 'vitest';
import type { TokenRequest } from '../api/types/authentication/v1.d.ts';
import type { ServerObjects } from '../apiserver/index.ts';
import { RealClock } from '../base/index.ts';
import { NodeConnections } from '../proxy/index.ts';
import { startCluster, type TestCluster } from './index.ts';

interface Caller {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** The code and body of a node's answer. */
function ask(port: number, path: string, { token, cert, key }: Caller = {}): Promise<string> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const shown = cert === undefined || key === undefined ? {} : { cert, key };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers, agent: false, rejectUnauthorized: false, ...shown };
    const sent = request(options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
    });
    sent.on('error', reject).end();
  });
}

async function portOf(cluster: TestCluster): Promise<number> {
  const { status } = await cluster.client.core.v1.nodes.get('keelson');
  return status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
}

test('a node answers callers that the API server authenticates and authorizes', async () => {
  await using cluster = await startCluster({ nodeEndpoints: true });
  const port = await portOf(cluster);
  const accounts = cluster.client.core.v1.serviceaccounts.namespace('default');
  const { status } = await accounts.subresource<TokenRequest>('token').create('default', { spec: { audiences: [] } });
  const token = status?.token ?? '';

  expect(await ask(port, '/healthz')).toBe('401 Unauthorized');
  expect(await ask(port, '/healthz', { token: 'nonsense' })).toBe('401 Unauthorized');
  const user = 'system:serviceaccount:default:default';
  expect(await ask(port, '/pods', { token })).toBe(
    `403 Forbidden (user=${user}, verb=get, resource=nodes, subresource(s)=[pods proxy])\n`,
  );
  expect(await ask(port, '/stats/summary', { token })).toBe(
    `403 Forbidden (user=${user}, verb=get, resource=nodes, subresource(s)=[stats])\n`,
  );

  const roles = cluster.client.rbac.v1;
  const rules = [{ apiGroups: [''], resources: ['nodes/metrics', 'nodes/stats'], verbs: ['get'] }];
  await roles.clusterroles.create({ metadata: { name: 'scraper' }, rules });
  await roles.clusterrolebindings.create({
    metadata: { name: 'scraper' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'scraper' },
    subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }],
  });
  await cluster.client.core.v1.pods.namespace('default').create({
    metadata: {
      name: 'web',
      annotations: { 'sim.keelson.dev/cpu': '250m', 'sim.keelson.dev/memory': '64Mi' },
    },
    spec: { containers: [{ name: 'web', image: 'nginx' }] },
  });
  await cluster.settle();
  await cluster.clock.advance('40s'); // refusals are cached for 30 seconds
  const metrics = await ask(port, '/metrics/resource', { token });
  expect(metrics).toMatch(
    /\ncontainer_cpu_usage_seconds_total\{container="web",namespace="default",pod="web"\} 10 \d+\n/,
  );
  expect(metrics).toMatch(/\nnode_memory_working_set_bytes 335544320 \d+\n/);
  const summary = JSON.parse((await ask(port, '/stats/summary', { token })).slice(4)) as {
    pods: { podRef: object; cpu: object }[];
  };
  expect(summary.pods).toMatchObject([
    { podRef: { name: 'web', namespace: 'default' }, cpu: { usageNanoCores: 250_000_000 } },
  ]);
  expect(await ask(port, '/pods', { token })).toMatch(/^403 /);
});

test('each node has an address of its own, and other servers find its port', async () => {
  await using cluster = await startCluster({ nodes: 2, nodeEndpoints: true });
  const { items } = await cluster.client.core.v1.nodes.list();
  const [first, second] = items.map(({ metadata, status }) => ({
    addresses: status?.addresses?.map(({ type, address }) => `${type} ${address}`),
    server: metadata.annotations?.['keelson.dev/node-server'],
    port: status?.daemonEndpoints?.kubeletEndpoint?.Port,
  }));
  expect(first?.addresses).toEqual(['InternalIP 10.0.0.1', 'InternalDNS localhost', 'Hostname keelson-1']);
  expect(second?.addresses).toEqual(['InternalIP 10.0.0.2', 'InternalDNS localhost', 'Hostname keelson-2']);
  expect(first?.server).toBe(`127.0.0.1:${first?.port}`);
  expect(second?.server).toBe(`127.0.0.1:${second?.port}`);

  const objects = {
    of: () => ({ newest: async (_: string, name: string) => items.find((each) => each.metadata.name === name) }),
  };
  const local = { connectionTo: () => undefined, isPodAddress: async () => false };
  using elsewhere = new NodeConnections({
    objects: objects as unknown as ServerObjects,
    clock: new RealClock(),
    local,
  });
  for (const node of ['keelson-1', 'keelson-2']) {
    const { signal } = new AbortController();
    const { status } = await (
      await elsewhere.to(node)
    ).request({ method: 'GET', path: '/healthz', headers: {}, signal });
    expect(status).toBe(401); // this caller has no certificate
  }
});

test('a client certificate of the cluster is accepted, one of another authority is not', async () => {
  await using cluster = await startCluster({ nodeEndpoints: true });
  const port = await portOf(cluster);
  const text = await readFile(await cluster.kubeconfig(), 'utf8');
  const pem = (name: string): string =>
    Buffer.from(new RegExp(`${name}: *"?([A-Za-z0-9+/=]+)`).exec(text)?.[1] ?? '', 'base64').toString();
  const admin = { cert: pem('client-certificate-data'), key: pem('client-key-data') };
  expect(await ask(port, '/healthz', admin)).toBe('200 ok');
  expect(await ask(port, '/configz', admin)).toContain(`"port":${port}`);
  await using other = await startCluster({ nodeEndpoints: true });
  expect(await ask(await portOf(other), '/healthz', admin)).toBe('401 Unauthorized');
});
