import { expect, test } from 'vitest';
import { AggregatedPlane, FLUNDERS_PATH } from './testing/aggregated-plane.ts';
import { BackendServer, sendJson, withDiscovery } from './testing/backend-server.ts';

const ACCEPT = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** The group's entry in the aggregated document, once it has the requested freshness. */
async function discovered(plane: AggregatedPlane, freshness: string): Promise<{ resources: { resource: string }[] }> {
  for (;;) {
    const { items } = (await plane.get('/apis', { headers: { accept: ACCEPT } })).json();
    const group = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'wardle.example.com');
    if (group?.versions[0].freshness === freshness) return group.versions[0];
  }
}

/** A bad server does not affect requests to other groups. */
async function expectOthersWell(plane: AggregatedPlane): Promise<void> {
  expect(await plane.get('/api/v1/namespaces/default')).toMatchObject({ status: 200 });
  expect(await plane.get('/apis/apps/v1')).toMatchObject({ status: 200 });
  expect((await plane.get('/apis')).json().groups.map(({ name }: { name: string }) => name)).toContain('apps');
}

test('without a listening server, requests for the group are refused, and those for an unknown group are not found', async () => {
  await using plane = await AggregatedPlane.start();
  const condition = await plane.register(1);

  const url = `https://localhost:1${FLUNDERS_PATH}`;
  expect(condition).toMatchObject({
    status: 'False',
    reason: 'FailedDiscoveryCheck',
    message: `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:1: connect: connection refused`,
  });
  const refused = await plane.get(`${FLUNDERS_PATH}/flunders`);
  expect(refused).toMatchObject({ status: 503, text: 'service unavailable\n' });
  expect(refused.headers['content-type']).toBe('text/plain; charset=utf-8');
  expect(await plane.get('/apis/wardle.example.com/v9/flunders')).toMatchObject({ status: 404 });
  expect(await plane.get('/apis/no.example.com/v1/flunders')).toMatchObject({ status: 404 });
  expect((await discovered(plane, 'Stale')).resources).toEqual([]);
  await expectOthersWell(plane);
});

test('a server that goes down is noticed, and so is its return', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => sendJson(response, { items: [] }));
  await using plane = await AggregatedPlane.start();
  expect(await plane.register(backend.port)).toMatchObject({ status: 'True' });
  await discovered(plane, 'Current');
  await backend.close();
  const gone = plane.availability(({ status }) => status === 'False');
  const reached = await plane.get(`${FLUNDERS_PATH}/flunders`);
  await plane.clock.advance('30s');

  expect(reached.status).toBe(503);
  expect(reached.text).toMatch(/^error trying to reach service: dial tcp .*: connect: connection refused\n$/);
  expect(await gone).toMatchObject({ reason: 'FailedDiscoveryCheck' });
  expect((await discovered(plane, 'Stale')).resources).toMatchObject([{ resource: 'flunders' }]);
  await expectOthersWell(plane);
  const back = plane.availability(({ status }) => status === 'True');
  await backend.open();
  await plane.clock.advance('60s');
  expect(await back).toMatchObject({ reason: 'Passed' });
  expect(await plane.get(`${FLUNDERS_PATH}/flunders`)).toMatchObject({ status: 200 });
});

test('a server that resets the connection in the middle of an answer cuts off that answer only', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"items":[', () => response.destroy(new Error('reset')));
  });
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);

  await expect(plane.get(`${FLUNDERS_PATH}/flunders`)).rejects.toThrow(/Lost the connection|closed/);
  await expectOthersWell(plane);
});

test('a server’s 5xx answer is forwarded unchanged', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => void response.writeHead(500, { 'x-why': 'ill' }).end('no'));
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const answer = await plane.get(`${FLUNDERS_PATH}/flunders`);

  expect(answer).toMatchObject({ status: 500, text: 'no' });
  expect(answer.headers['x-why']).toBe('ill');
});

test('a server’s discovery request times out after five seconds', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);
  const asked = new Promise<void>((resolve) => {
    backend.answer = ({ headers }) => {
      if (headers['x-remote-user'] === 'kubernetes-admin') resolve();
    };
  });
  const answer = plane.get(FLUNDERS_PATH);
  await asked;
  await plane.clock.advance('5s');

  expect(await answer).toMatchObject({
    status: 503,
    text: 'error trying to reach service: context deadline exceeded\n',
  });
  await expectOthersWell(plane);
});

test('requests to a server that never answers do not block other requests', async () => {
  await using backend = await BackendServer.start();
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start({ serving: { limits: { maxReads: 10, maxWrites: 10 } } });
  await plane.register(backend.port);
  let waiting = 0;
  const allWait = new Promise<void>((resolve) => {
    backend.answer = () => {
      waiting += 1;
      if (waiting === 400) resolve();
    };
  });
  const leaving = new AbortController();
  const slow = Array.from({ length: 400 }, () =>
    plane.get(`${FLUNDERS_PATH}/flunders`, { signal: leaving.signal }).catch(() => undefined),
  );
  await allWait;

  expect(await plane.get(`${FLUNDERS_PATH}/flunders`)).toMatchObject({ status: 429 });
  await expectOthersWell(plane);
  leaving.abort();
  await Promise.all(slow);
  expect(await plane.get('/livez')).toMatchObject({ status: 200 });
  expect(plane.problems).toEqual([]);
});

test.each([
  [
    'of another name',
    { names: ['other.wardle.svc'] },
    'x509: certificate is valid for other.wardle.svc, not api.wardle.svc',
  ],
  ['that has expired', { notAfter: Date.UTC(2021) }, 'x509: certificate has expired or is not yet valid'],
])('a server with a certificate %s is not talked to', async (_, options, words) => {
  await using backend = await BackendServer.start(options);
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start();
  const condition = await plane.register(backend.port);

  expect(condition).toMatchObject({ status: 'False', reason: 'FailedDiscoveryCheck' });
  expect(condition.message).toContain(`tls: failed to verify certificate: ${words}`);
  expect(backend.requests).toEqual([]);
  await expectOthersWell(plane);
});

test('a server is used without verification if insecureSkipTLSVerify is set', async () => {
  await using backend = await BackendServer.start({ notAfter: Date.UTC(2021) });
  backend.answer = withDiscovery((_, response) => sendJson(response, {}));
  await using plane = await AggregatedPlane.start();

  expect(await plane.register(backend.port, { insecureSkipTLSVerify: true })).toMatchObject({ status: 'True' });
});

test.each([
  ['is no JSON', 'lies'],
  ['has anything in it', '{"items":[{"metadata":7,"versions":[{"version":{},"resources":[null,{"resource":3}]}]}]}'],
  ['has no end', 'huge'],
])('a discovery document that %s does no harm', async (_, text) => {
  await using backend = await BackendServer.start();
  backend.answer = (request, response) => {
    if (request.url !== '/apis') return sendJson(response, {});
    response.writeHead(200, { 'content-type': ACCEPT });
    if (text !== 'huge') return void response.end(text);
    const piece = Buffer.alloc(64 * 1024, '[');
    const write = (): void => {
      while (!response.destroyed && !response.closed && response.write(piece));
    };
    response.on('drain', write);
    write();
  };
  await using plane = await AggregatedPlane.start();
  await plane.register(backend.port);

  const version = await discovered(plane, text.startsWith('{') ? 'Current' : 'Stale');
  expect(version.resources).toEqual([]);
  await expectOthersWell(plane);
});
