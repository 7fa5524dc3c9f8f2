import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  CauseGraph,
  ChangeDetail,
  DashboardInfo,
  DryRunResult,
  ExtensionMap,
  HistoryPage,
  PastState,
  PodForward,
  PodForwardList,
} from '../protocol.ts';
import { type Got, RunningDashboard } from '../testing/running-dashboard.ts';

const SECRETS = '/cluster/api/v1/namespaces/default/secrets';
const CONFIGMAPS = '/cluster/api/v1/namespaces/default/configmaps';
const JSON_TYPE = { 'content-type': 'application/json' };
const manifest = (kind: string, name: string, rest: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind, metadata: { name }, ...rest });

let running: RunningDashboard;
beforeAll(async () => {
  running = await RunningDashboard.start();
  const { client } = running.cluster;
  await client.core.v1.secrets
    .namespace('default')
    .create({ metadata: { name: 'login' }, data: { password: 'Z2VoZWlt' } });
});
afterAll(() => running[Symbol.asyncDispose]());

describe('who may use it', () => {
  test.each([
    ['without the key', {}],
    ['with a wrong key', { 'x-keelson-key': 'another-key-xx' }],
    ['with an empty key', { 'x-keelson-key': '' }],
    [
      'with the key where it does not belong',
      { authorization: 'Bearer a-key-for-tests', cookie: 'key=a-key-for-tests' },
    ],
  ])('a request %s is refused', async (_, headers) => {
    for (const path of ['/keelson/info', `${SECRETS}/login`]) {
      const { code, headers: said, text } = await running.send(path, { headers });
      expect(code).toBe(401);
      expect(said['www-authenticate']).toBe('Keelson-Key');
      expect(text).not.toContain('Z2VoZWlt');
    }
  });

  test.each([
    ["a name of another site's DNS", { host: 'evil.example:80' }],
    ['a name that only begins like ours', { host: 'localhost.evil.example' }],
    ['another port', { host: '127.0.0.1:1' }],
    ['a page of another site', { origin: 'https://evil.example' }],
    ['a page of another port of this machine', { origin: 'http://localhost:1' }],
    ['a page without an origin', { origin: 'null' }],
    ['a form of another site', { 'sec-fetch-site': 'cross-site' }],
  ])('a request from %s is refused, even with the key, and gets not even the page', async (_, headers) => {
    for (const path of ['/', '/keelson/info', CONFIGMAPS])
      expect((await running.get(path, { headers })).code).toBe(403);
  });

  test('its own names are accepted', async () => {
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      const name = `${host}:${running.port}`;
      const headers = { host: name, origin: `http://${name}`, 'sec-fetch-site': 'same-origin' };
      expect((await running.get('/keelson/info', { headers })).code).toBe(200);
    }
  });

  test('it is no proxy for other servers', async () => {
    expect((await running.get('http://evil.example/')).code).toBe(400);
  });
});

describe('the page', () => {
  test('is served with a policy that allows nothing but itself', async () => {
    const { code, headers, text } = await running.send('/');
    expect(code).toBe(200);
    expect(text).toContain('<title>Keelson</title>');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cache-control': 'no-cache',
    });
    const again = await running.send('/', { headers: { 'if-none-match': String(headers.etag) } });
    expect(again).toMatchObject({ code: 304, text: '' });
  });

  test('files with a hash in their name are kept forever, and packed for browsers that accept that', async () => {
    const plain = await running.send('/assets/app-AbCdEf12.js');
    expect(plain).toMatchObject({ code: 200, text: 'export {};' });
    expect(plain.headers['cache-control']).toContain('immutable');
    const packed = await running.send('/assets/app-AbCdEf12.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers).toMatchObject({
      'content-encoding': 'gzip',
      'content-type': 'text/javascript; charset=utf-8',
    });
  });

  test.each([
    '/../package.json',
    '/assets/../../etc/passwd',
    '/%2e%2e/etc/passwd',
    '/assets',
    '/missing.js',
    '//etc/passwd',
  ])('no path leads to another file: %s', async (path) => expect((await running.send(path)).code).toBe(404));
});

describe('the API server behind it', () => {
  test('reads and writes pass, with what clients need of the headers', async () => {
    const created = await running.get(CONFIGMAPS, {
      method: 'POST',
      headers: JSON_TYPE,
      body: manifest('ConfigMap', 'a'),
    });
    expect(created.code).toBe(201);
    expect(created.headers['audit-id']).toBeDefined();
    expect(created.headers['content-security-policy']).toContain('sandbox');
    expect(created.headers['cache-control']).toBe('no-store');
    expect(JSON.parse((await running.get(`${CONFIGMAPS}/a`)).text)).toMatchObject({ metadata: { name: 'a' } });
    expect((await running.get(`${CONFIGMAPS}/none`)).code).toBe(404);
  });

  test('values of Secrets are hidden in every form, until asked for', async () => {
    const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' };
    for (const [path, headers] of [
      [`${SECRETS}/login`, {}],
      [SECRETS, {}],
      [`${SECRETS}?includeObject=Object`, table],
      [`${SECRETS}/login`, { accept: 'application/yaml' }],
      [`${SECRETS}/login`, { accept: 'application/vnd.kubernetes.protobuf' }],
    ] as const) {
      const { code, headers: said, text } = await running.get(path, { headers });
      expect(code).toBe(200);
      expect(said['x-keelson-blanked']).toBe('1');
      expect(text).toContain('login');
      expect(text).not.toMatch(/Z2VoZWlt|geheim/);
    }
    const watched = await running.until(`${SECRETS}?watch=1`, '"name":"login"');
    expect(watched).toContain('"type":"ADDED"');
    expect(watched).not.toMatch(/Z2VoZWlt|geheim/);
    const revealed = await running.get(`${SECRETS}/login`, { headers: { 'x-keelson-reveal': '1' } });
    expect(revealed.headers['x-keelson-blanked']).toBeUndefined();
    expect(revealed.text).toContain('Z2VoZWlt');
  });

  test('the answer to a write of a Secret is blanked, too', async () => {
    const body = manifest('Secret', 'new', { stringData: { password: 'geheim' } });
    const { code, text } = await running.get(SECRETS, { method: 'POST', headers: JSON_TYPE, body });
    expect(code).toBe(201);
    expect(text).not.toMatch(/Z2VoZWlt|geheim/);
  });

  test('a body that is too large is refused', async () => {
    const { code, text } = await running.get(CONFIGMAPS, {
      method: 'POST',
      headers: JSON_TYPE,
      body: 'x'.repeat(5_000_000),
    });
    expect(code).toBe(413);
    expect(text).toContain('RequestEntityTooLarge');
  });
});

describe('what only the dashboard knows', () => {
  test('who and where', async () => {
    expect(await running.json<DashboardInfo>('/keelson/info')).toMatchObject({
      clusterName: 'test',
      isKeelson: true,
      isReadOnly: false,
      canSeePast: true,
      canStep: false,
      canSeeRequests: true,
      user: 'kubernetes-admin',
      namespace: 'default',
      protocol: 1,
    });
  });

  test('what changed, when and by whom; how it was; and no values of Secrets', async () => {
    const maps = running.cluster.client.core.v1.configmaps.namespace('default');
    await maps.create({ metadata: { name: 'past' }, data: { a: '1' } }, { fieldManager: 'me' });
    const { metadata } = await maps.apply(
      { metadata: { name: 'past' }, data: { a: '2' } },
      { fieldManager: 'you', force: true },
    );
    await maps.delete('past');
    const filter = 'resource=configmaps&namespace=default&name=past';
    const { items, oldest } = await running.json<HistoryPage>(`/keelson/history?${filter}`);
    expect(items[1]?.fields).toEqual(['data.a: 1 → 2']);
    expect(items.map(({ verb, manager, user }) => [verb, manager, user])).toEqual([
      ['delete', undefined, 'kubernetes-admin'],
      ['update', 'you', 'kubernetes-admin'],
      ['create', 'me', 'kubernetes-admin'],
    ]);
    expect(oldest.revision).toBeLessThan(items[2]?.revision ?? 0);
    const detail = await running.json<ChangeDetail>(`/keelson/history/${metadata.resourceVersion}`);
    expect(detail).toMatchObject({ before: { data: { a: '1' } }, after: { data: { a: '2' } } });
    const past = await running.json<PastState>(`/keelson/state?at=${items[2]?.revision}&${filter}`);
    expect(past).toMatchObject({ kind: 'ConfigMapList', items: [{ kind: 'ConfigMap', data: { a: '1' } }] });
    expect((await running.json<PastState>(`/keelson/state?${filter}`)).items).toEqual([]);
    expect((await running.get('/keelson/history/99999999')).code).toBe(404);
    expect((await running.get('/keelson/history?from=never')).code).toBe(400);

    const secrets = await running.get('/keelson/state?resource=secrets');
    const changes = await running.json<HistoryPage>('/keelson/history?resource=secrets&name=login');
    const secret = await running.get(`/keelson/history/${changes.items[0]?.revision}`);
    for (const { text } of [secrets, secret, await running.get('/cluster/keelson/state?resource=secrets')]) {
      expect(text).toContain('login');
      expect(text).not.toContain('Z2VoZWlt');
    }
  });

  test('what happened because of what, from a Deployment to its running pod', async () => {
    const { client } = running.cluster;
    await running.json('/keelson/info'); // runs are recorded from the first look on
    const labels = { app: 'web' };
    await client.apps.v1.deployments.namespace('default').create({
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      },
    });
    await running.cluster.settle();
    const graph = await running.json<CauseGraph>(
      '/keelson/causes?resource=deployments.apps&namespace=default&name=web',
    );
    expect(graph.source).toBe('recorded');
    const titles = new Map(
      graph.nodes.map(({ id, title }) => [id, title.replaceAll(/-[a-z0-9]+(-[a-z0-9]{5})?$/g, '')]),
    );
    expect(titles.get(graph.focus ?? '')).toBe('create deployments default/web');
    const links = graph.edges.map(({ from, to, type }) => `${titles.get(from)} ${type} ${titles.get(to)}`);
    expect(links).toEqual(
      expect.arrayContaining([
        'create deployments default/web saw deployment default/web',
        'deployment default/web wrote create replicasets default/web',
        'create replicasets default/web saw replicaset default/web',
        'replicaset default/web wrote create pods default/web',
        'create pods default/web saw create pods/binding default/web',
        'create pods/binding default/web saw node_pods keelson pod default/web',
        'node_pods keelson pod default/web wrote patch pods/status default/web',
      ]),
    );
    expect(graph.nodes.some(({ title }) => title.startsWith('patch pods/status default/web'))).toBe(true);
    expect(graph.nodes.some(({ type }) => type === 'event')).toBe(true);
    expect((await running.get('/keelson/causes')).code).toBe(400);
  });

  test('what happened before the first look is linked by owners', async () => {
    await using unseen = await RunningDashboard.start();
    const labels = { app: 'early' };
    await unseen.cluster.client.apps.v1.deployments.namespace('default').create({
      metadata: { name: 'early' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'nginx' }] } },
      },
    });
    await unseen.cluster.settle();
    const graph = await unseen.json<CauseGraph>(
      '/keelson/causes?resource=deployments.apps&namespace=default&name=early',
    );
    expect(graph.source).toBe('recorded');
    expect(graph.nodes.some(({ type }) => type === 'reconcile')).toBe(false);
    const verbs = new Map(graph.nodes.map(({ id, title }) => [id, title.split(' ', 2).join(' ')]));
    const links = graph.edges.map(({ from, to, type }) => `${verbs.get(from)} ${type} ${verbs.get(to)}`);
    expect(links).toEqual(
      expect.arrayContaining([
        'create deployments owns create replicasets',
        'create replicasets owns create pods',
        'create pods saw create pods/binding',
      ]),
    );
  });

  test('what would happen to an object, with the steps of the request, and nothing stored', async () => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'tried' }, stringData: { a: 'geheim' } };
    const tried = await running.get('/keelson/dry-run', { method: 'POST', body: JSON.stringify({ object }) });
    const result = JSON.parse(tried.text) as DryRunResult;
    expect(result).toMatchObject({ code: 201, after: { metadata: { namespace: 'default' }, data: { a: '' } } });
    expect(tried.text).not.toMatch(/geheim|Z2VoZWlt/);
    expect(result.trace?.steps.map(({ name }) => name)).toContain('authorization');
    expect((await running.get(`${SECRETS}/tried`)).code).toBe(404);

    const refused = await running.json<DryRunResult>('/keelson/dry-run', {
      method: 'POST',
      body: JSON.stringify({
        verb: 'create',
        object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} },
      }),
    });
    expect(refused).toMatchObject({ code: 422, status: { reason: 'Invalid' } });
    expect(refused.after).toBeUndefined();
    expect((await running.get('/keelson/dry-run', { method: 'POST', body: '{' })).code).toBe(400);
  });

  test('what extends the cluster', async () => {
    const map = await running.json<ExtensionMap>('/keelson/extensions');
    expect(map.hidden).toEqual([]);
    expect(map.groups?.find(({ group }) => group === 'apps')).toMatchObject({
      servedBy: { type: 'built-in' },
      health: { state: 'ok' },
    });
    expect(map.controllers?.find(({ name }) => name === 'deployment')).toMatchObject({
      program: 'kube-controller-manager',
      depth: 0,
    });
    expect(map.controllers?.find(({ name }) => name === 'cronjob')?.isAsleep).toBe(true);
    expect(map.schedulers?.[0]?.decisions?.[0]).toMatchObject({ namespace: 'default' });
    expect(map.authorizers?.map(({ name }) => name)).toContain('system:masters');
  });

  test('each policy has figures of its own', async () => {
    const { client } = running.cluster;
    const { validatingadmissionpolicies: policies, validatingadmissionpolicybindings: bindings } =
      client.admissionregistration.v1;
    for (const [name, resource, expression] of [
      ['named-maps', 'configmaps', "object.metadata.name != 'bad'"],
      ['all-leases', 'leases', 'true'],
    ] as const) {
      const apiGroups = [resource === 'leases' ? 'coordination.k8s.io' : ''];
      const rule = { apiGroups, apiVersions: ['v1'], operations: ['CREATE' as const], resources: [resource] };
      await policies.create({
        metadata: { name },
        spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
      });
      await bindings.create({ metadata: { name }, spec: { policyName: name, validationActions: ['Deny'] } });
    }
    await running.cluster.settle();
    const maps = client.core.v1.configmaps.namespace('default');
    await maps.create({ metadata: { name: 'good' } });
    await expect(maps.create({ metadata: { name: 'bad' } })).rejects.toMatchObject({ code: 422 });
    await client.coordination.v1.leases.namespace('default').create({ metadata: { name: 'lease' } });
    const { webhooks } = await running.json<ExtensionMap>('/keelson/extensions');
    const seen = webhooks?.map(({ configuration, seen: figures }) => [
      configuration,
      figures?.count,
      figures?.refused,
      figures?.failed,
    ]);
    expect(seen).toEqual([
      ['all-leases', 1, 0, 0],
      ['named-maps', 2, 1, 0],
    ]);
    for (const name of ['named-maps', 'all-leases']) await bindings.delete(name);
  });

  test('a port of this machine leads to one of a pod, until it is closed', async () => {
    const { client } = running.cluster;
    const containers = [{ name: 'web', image: 'nginx' }];
    await client.core.v1.pods.namespace('default').create({ metadata: { name: 'page' }, spec: { containers } });
    await running.cluster.settle();
    const wish = { namespace: 'default', pod: 'page', port: 80 };
    const post = (body: object): Promise<Got> =>
      running.get('/keelson/forwards', { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
    const { code, text } = await post(wish);
    expect(code).toBe(200);
    const { localPort, id } = JSON.parse(text) as PodForward;
    const answer = await fetch(`http://127.0.0.1:${localPort}/`);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('page')]);
    expect(await running.json<PodForwardList>('/keelson/forwards')).toEqual({
      items: [{ ...wish, id, localPort, connections: expect.any(Number) }],
    });
    expect((await post({ ...wish, localPort })).text).toContain(`port ${localPort} of this machine is taken`);
    expect((await post({ ...wish, pod: 'none' })).code).toBe(404);
    expect((await post({ ...wish, port: 0 })).code).toBe(400);
    expect((await running.get(`/keelson/forwards/${id}`, { method: 'DELETE' })).code).toBe(200);
    await expect(fetch(`http://127.0.0.1:${localPort}/`)).rejects.toThrow('fetch failed');
    expect((await running.get(`/keelson/forwards/${id}`, { method: 'DELETE' })).code).toBe(404);
  });

  test('no more ports are opened than the limit, and none where it only shows', async () => {
    const body = JSON.stringify({ namespace: 'default', pod: 'page', port: 80 });
    const opened: string[] = [];
    const post = (): Promise<Got> => running.get('/keelson/forwards', { method: 'POST', headers: JSON_TYPE, body });
    for (let count = 0; count < 16; count++) opened.push((JSON.parse((await post()).text) as PodForward).id);
    expect(await post()).toMatchObject({ code: 429, text: expect.stringContaining('16 ports are open already') });
    for (const id of opened) await running.get(`/keelson/forwards/${id}`, { method: 'DELETE' });
    await using shown = await RunningDashboard.start({ isReadOnly: true }, { nodes: 0, controllers: false });
    const { code } = await shown.get('/keelson/forwards', { method: 'POST', headers: JSON_TYPE, body });
    expect(code).toBe(403);
    expect(await shown.json('/keelson/forwards')).toEqual({ items: [] });
    expect(await shown.json<DashboardInfo>('/keelson/info')).toMatchObject({ canForward: false });
  });

  test('paths that do not exist, and methods that are none, are refused', async () => {
    expect((await running.get('/keelson/nothing')).code).toBe(404);
    expect((await running.get('/keelson/__proto__')).code).toBe(404);
    expect((await running.get('/keelson/info', { method: 'DELETE' })).code).toBe(405);
    expect((await running.get('/keelson/learn')).code).toBe(404);
    expect((await running.get('/keelson/clock', { method: 'POST', body: '{"action":"pause"}' })).code).toBe(404);
  });
});

describe('WebSockets', () => {
  test.each([
    ['without the key', 'v5.channel.k8s.io', {}, 401],
    ['of another site', 'keelson.key.a-key-for-tests', { origin: 'https://evil.example' }, 403],
    ['for plain reading of Secrets', 'keelson.key.a-key-for-tests', {}, 400],
  ])('one %s is refused', async (_, protocols, headers, code) => {
    const answer = await openSocket(`${SECRETS}?watch=1`, protocols, headers);
    expect(answer.head).toContain(`HTTP/1.1 ${code} `);
    expect(answer.head).not.toContain('Z2VoZWlt');
  });

  test('a watch over one sends an event as a message, blanked unless asked for', async () => {
    const accept = Buffer.from('application/json').toString('base64url');
    const read = async (more: string): Promise<string> => {
      const protocols = `keelson.key.a-key-for-tests, keelson.watch.${accept}${more}`;
      const answer = await openSocket(`${SECRETS}?watch=1`, protocols, {}, '"name":"login"');
      expect(answer.head).toContain('HTTP/1.1 101 ');
      expect(answer.head.toLowerCase()).toContain(`sec-websocket-protocol: keelson.watch.${accept.toLowerCase()}`);
      expect(answer.head).not.toContain('a-key-for-tests');
      return answer.rest;
    };
    const hidden = await read('');
    expect(hidden).toContain('"name":"login"');
    expect(hidden).not.toContain('Z2VoZWlt');
    expect(await read(', keelson.reveal')).toContain('Z2VoZWlt');
  });

  test('a refusal comes as a Status, before the connection is closed', async () => {
    const { rest } = await openSocket(
      '/cluster/api/v1/namespaces/default/pods/none/log',
      'keelson.key.a-key-for-tests, keelson.watch.',
      {},
    );
    expect(rest).toContain('"reason":"NotFound"');
  });

  /** Asks for a WebSocket, and reads until a line with this text has come, or the connection is closed. */
  function openSocket(
    path: string,
    protocols: string,
    headers: Record<string, string>,
    until?: string,
  ): Promise<{ head: string; rest: string }> {
    const own = {
      host: `127.0.0.1:${running.port}`,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'sec-websocket-protocol': protocols,
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const socket: Socket = connect(running.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        const text = Buffer.concat(chunks).toString('latin1');
        if (until !== undefined && text.includes(until) && text.includes('}}', text.indexOf(until))) socket.destroy();
      });
      socket.on('error', reject);
      socket.on('close', () => {
        const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
        resolve({ head, rest: rest.join('\r\n\r\n') });
      });
      const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    });
  }
});
