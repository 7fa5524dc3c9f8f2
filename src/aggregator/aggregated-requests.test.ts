import { once } from 'node:events';
import { expect, test } from 'vitest';
import { settle } from '../base/index.ts';
import { AggregatedPlane, FLUNDERS_PATH } from './testing/aggregated-plane.ts';
import { BackendServer, sendJson, withDiscovery } from './testing/backend-server.ts';

test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('forwards %s, as the requesting user', async (method) => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () =>
      sendJson(response, {
        method: request.method,
        url: request.url,
        headers: request.headers,
        body: Buffer.concat(pieces).toString(),
      }),
    );
  });
  await using plane = await AggregatedPlane.start();
  expect(await plane.register(backend.port)).toMatchObject({
    status: 'True',
    reason: 'Passed',
    message: 'all checks passed',
  });
  const body = method === 'GET' ? {} : { body: '{"kind":"Flunder"}' };
  const headers = {
    'x-remote-user': 'evil',
    'x-remote-group': 'system:masters',
    'x-custom': 'kept',
    'x-remote-extra-a': 'b',
  };
  const { status, json } = await plane.get(
    `${FLUNDERS_PATH}/namespaces/a/flunders/%C3%A9 x?b=2&a=1`.replace(' ', '%20'),
    {
      method,
      headers,
      ...body,
    },
  );

  expect(status).toBe(200);
  expect(json()).toMatchObject({
    method,
    url: `${FLUNDERS_PATH}/namespaces/a/flunders/%C3%A9%20x?a=1&b=2`,
    body: body.body ?? '',
    headers: {
      'x-remote-user': 'kubernetes-admin',
      'x-remote-group': 'system:masters, system:authenticated',
      'x-custom': 'kept',
      'x-forwarded-for': '127.0.0.1',
      'audit-id': expect.any(String),
    },
  });
  expect(json().headers['x-remote-extra-a']).toBeUndefined();
});

test('forwards the impersonated user, and nothing that reveals the real one', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((request, response) => sendJson(response, request.headers));
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  await plane.plane.server.self.create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'builders' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'Group', name: 'builders' }],
  });
  await settle();
  const headers = {
    'impersonate-user': 'zoe',
    'impersonate-group': ['builders', 'testers'],
    'impersonate-uid': 'u-1',
    'impersonate-extra-acme.com%2fproject': 'x',
  };
  const { json } = await plane.get(`${FLUNDERS_PATH}/flunders`, { headers });

  expect(json()).toMatchObject({
    'x-remote-user': 'zoe',
    'x-remote-group': 'builders, testers, system:authenticated',
    'x-remote-uid': 'u-1',
    'x-remote-extra-acme.com%2fproject': 'x',
  });
  expect(Object.keys(json()).filter((name) => name.startsWith('impersonate') || name === 'authorization')).toEqual([]);
});

test('presents the front-proxy certificate', async () => {
  await using backend = await BackendServer.start({ protocol: 'http/1.1' });
  const shown: unknown[] = [];
  backend.server.on('secureConnection', (socket: { getPeerX509Certificate(): { subject: string } }) =>
    shown.push(socket.getPeerX509Certificate().subject),
  );
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);

  expect(new Set(shown)).toEqual(new Set(['CN=front-proxy-client']));
});

test.each(['h2', 'http/1.1'] as const)(
  'an answer comes piece by piece over %s, and a client that leaves is gone there too',
  async (protocol) => {
    await using backend = await BackendServer.start({ protocol });
    const left = resolvers<boolean>();
    backend.answer = withDiscovery((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"type":"ADDED"}\n');
      response.once('close', () => left.resolve(true));
    });
    await using plane = await AggregatedPlane.start();
    await plane.register(backend.port);
    const leaving = new AbortController();
    const { status, chunks } = await plane.send({ path: `${FLUNDERS_PATH}/flunders?watch=1`, signal: leaving.signal });
    const iterator = chunks[Symbol.asyncIterator]();
    const first = await iterator.next();
    leaving.abort(new Error('enough'));

    expect(status).toBe(200);
    expect(Buffer.from(first.value as Uint8Array).toString()).toBe('{"type":"ADDED"}\n');
    await expect(iterator.next()).rejects.toThrow('enough');
    expect(await left.promise).toBe(true);
  },
);

test('a server that sends more than its client reads is throttled', async () => {
  await using backend = await BackendServer.start();
  let written = 0;
  const heldUp = resolvers<number>();
  backend.answer = withDiscovery((_, response) => {
    const piece = Buffer.alloc(1024 * 1024);
    const write = (): void => {
      while (written < 64) {
        written += 1;
        if (response.write(piece)) continue;
        heldUp.resolve(written);
        return;
      }
      response.end();
    };
    response.on('drain', write);
    write();
  });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const { chunks } = await plane.send({ path: `${FLUNDERS_PATH}/flunders` });
  await heldUp.promise;
  for (let turn = 0; turn < 20; turn++) await settle();
  const ahead = written;
  let bytes = 0;
  for await (const chunk of chunks) bytes += chunk.length;

  expect(ahead).toBeLessThan(40);
  expect(bytes).toBe(64 * 1024 * 1024);
});

test('a connection that is upgraded to another protocol is joined to the server', async () => {
  await using backend = await BackendServer.start({ protocol: 'http/1.1' });
  backend.answer = withDiscovery((_, response) => void response.writeHead(400).end('no'));
  backend.server.on('upgrade', (request, socket) => {
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\nX-User: ${String(request.headers['x-remote-user'])}\r\n\r\n`,
    );
    socket.pipe(socket);
  });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const headers = { connection: 'Upgrade', upgrade: 'echo' };
  const path = `${FLUNDERS_PATH}/namespaces/a/flunders/b/exec`;
  const upgraded = await plane.http.upgrade({ method: 'POST', path, headers, signal: new AbortController().signal });
  if (!('socket' in upgraded)) throw new Error(`no upgrade but ${upgraded.status}`);
  upgraded.socket.write('hello');
  const [echoed] = (await once(upgraded.socket, 'data')) as [Buffer];
  upgraded.socket.destroy();

  expect(upgraded.headers['x-user']).toBe('kubernetes-admin');
  expect(echoed.toString()).toBe('hello');
});

test.each(['h2', 'http/1.1'] as const)(
  'answers without a body leave no connection behind over %s',
  async (protocol) => {
    await using backend = await BackendServer.start({ protocol });
    backend.answer = withDiscovery((request, response) => {
      response.writeHead(request.method === 'HEAD' ? 200 : 304, { 'content-length': '7', etag: '"a"' }).end();
    });
    await using plane = await AggregatedPlane.start();
    await plane.register(backend.port);
    const before = backend.connections;
    const answers: number[] = [];
    for (let round = 0; round < 20; round++) {
      answers.push((await plane.get(`${FLUNDERS_PATH}/flunders`, { method: round % 2 === 0 ? 'HEAD' : 'GET' })).status);
    }

    expect(answers).toEqual(Array.from({ length: 20 }, (_, round) => (round % 2 === 0 ? 200 : 304)));
    expect(backend.connections).toBeLessThanOrEqual(before + 1);
  },
);

test('a redirect is refused', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery(
    (_, response) => void response.writeHead(302, { location: 'https://evil.example' }).end(),
  );
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);

  expect(await plane.get(`${FLUNDERS_PATH}/flunders`)).toMatchObject({
    status: 502,
    text: 'the backend attempted to redirect this request, which is not permitted',
  });
});

function resolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((given) => (resolve = given));
  return { promise, resolve };
}
