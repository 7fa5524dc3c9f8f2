import { expect, onTestFinished, test } from 'vitest';
import { TestPlane } from '../../access/testing/test-plane.ts';
import type { TracedRequest } from './request-trace.ts';

async function plane(tracedRequests?: number): Promise<TestPlane> {
  const serving = { priorityAndFairness: false }; // its own requests would be among the recent ones
  const started = await TestPlane.start({ serving, tracing: { tracedRequests } });
  onTestFinished(() => started[Symbol.asyncDispose]());
  return started;
}

const items = async (server: TestPlane, query = ''): Promise<readonly TracedRequest[]> =>
  (await server.admin('GET', `/keelson/requests${query}`)).body['items'] as readonly TracedRequest[];

const ASKING = { 'keelson-trace': '1' };
const JOE = { commonName: 'joe', organizations: [] };

test('only requests that ask for it are traced, whatever they do', async () => {
  const server = await plane();
  await server.admin('GET', '/api/v1/namespaces/default?pretty=true', undefined, ASKING);
  await server.admin('GET', '/api/v1/namespaces/kube-system');
  expect(await items(server)).toMatchObject([{ id: '1', path: '/api/v1/namespaces/default?pretty=true', code: 200 }]);
  expect((await server.admin('GET', '/keelson/requests/1')).body).toMatchObject({ id: '1' });
  expect((await server.admin('GET', '/keelson/requests/2')).code).toBe(404);
});

test('a user who may not read traces cannot request one', async () => {
  const server = await plane();
  await server.send('GET', '/api/v1/namespaces/default', { certificate: JOE, headers: ASKING });
  await server.send('GET', '/api/v1/namespaces/default', { headers: ASKING });
  expect(await items(server)).toEqual([]);
});

test('the last requests are kept', async () => {
  const server = await plane(3);
  for (const name of ['a', 'b', 'c', 'd'])
    await server.admin('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
  const kept = await items(server);
  expect(kept).toHaveLength(3);
  expect((await items(server, `?after=${kept[1]?.id ?? ''}`)).map(({ id }) => id)).toEqual([kept[2]?.id]);
});

test('a waiting client is answered after the next request, or when its time is over', async () => {
  const server = await plane(3);
  const [last] = (await items(server)).slice(-1);
  const waiting = items(server, `?after=${last?.id ?? '0'}&wait=20s`);
  await server.admin('DELETE', '/api/v1/namespaces/default/configmaps/none');
  expect(await waiting).toMatchObject([{ method: 'DELETE', code: 404, reason: 'NotFound' }]);
  const later = items(server, `?after=${(await waiting)[0]?.id ?? ''}&wait=20s`);
  await server.clock.advance('20s');
  expect(await later).toEqual([]);
  expect((await server.admin('GET', '/keelson/requests?after=x')).code).toBe(400);
  expect((await server.admin('GET', '/keelson/requests?wait=x')).code).toBe(400);
});

test('the query of a connection is not recorded', async () => {
  const server = await plane(3);
  const path = '/api/v1/namespaces/default/pods/web/proxy/login?token=secret';
  await server.admin('POST', path);
  expect((await items(server)).at(-1)).toMatchObject({ path: '/api/v1/namespaces/default/pods/web/proxy' });
});

test('traces name the kind of a token, and never contain the token', async () => {
  const server = await plane(3);
  const headers = { authorization: 'Bearer not-a-token' };
  expect((await server.send('GET', '/api/v1/namespaces', { headers })).code).toBe(401);
  const request = (await items(server)).at(-1);
  expect(request).toMatchObject({
    code: 401,
    steps: [
      {
        name: 'authentication',
        decision: 'refused',
        steps: [{ name: 'service account tokens', decision: 'unknown' }],
      },
    ],
  });
  expect(JSON.stringify(request)).not.toContain('not-a-token');
});
