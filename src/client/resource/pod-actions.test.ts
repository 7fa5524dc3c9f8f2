import { describe, expect, expectTypeOf, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { Pod as PodType } from '../../api/types/core/v1.d.ts';
import { Client } from '../client.ts';
import type { Stored } from '../kind.ts';
import { transportTo } from '../testing/test-network.ts';
import { type Answer, json, TestServer } from '../testing/test-server.ts';
import { bindPod, evictPod, podLog, requestToken } from './pod-actions.ts';

async function start(answer: Answer): Promise<{ server: TestServer; client: Client } & AsyncDisposable> {
  const server = await TestServer.start(answer);
  const client = new Client(transportTo(server), { clock: new VirtualClock() });
  return {
    server,
    client,
    async [Symbol.asyncDispose]() {
      await client[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

test('a log is streamed as text and never splits a character', async () => {
  const bytes = Buffer.from('grün\n');
  await using setup = await start((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write(bytes.subarray(0, 3));
    setImmediate(() => response.end(bytes.subarray(3)));
  });
  const pods = setup.client.core.v1.pods.namespace('here');

  let log = '';
  for await (const text of podLog(pods, 'web-1', { container: 'web', follow: true, tailLines: 10 })) {
    expect(text).not.toContain('\ufffd');
    log += text;
  }

  expect(log).toBe('grün\n');
  expect(setup.server.seen[0]?.path).toBe(
    '/api/v1/namespaces/here/pods/web-1/log?container=web&follow=true&tailLines=10',
  );
});

test('an eviction that a budget forbids is not retried', async () => {
  const refusal = {
    kind: 'Status',
    code: 429,
    reason: 'TooManyRequests',
    message: 'Cannot evict pod',
    details: { causes: [{ reason: 'DisruptionBudget' }] },
  };
  await using setup = await start((_request, response) => json(response, 429, refusal, { 'retry-after': '10' }));
  const pods = setup.client.core.v1.pods.namespace('here');

  await expect(evictPod(pods, 'web-1', { gracePeriodSeconds: 5 })).rejects.toMatchObject({
    code: 429,
    message: 'Cannot evict pod',
  });
  expect(setup.server.seen).toHaveLength(1);
  expect(setup.server.seen[0]?.path).toBe('/api/v1/namespaces/here/pods/web-1/eviction');
  expect(JSON.parse(setup.server.seen[0]?.body ?? '')).toMatchObject({
    kind: 'Eviction',
    apiVersion: 'policy/v1',
    metadata: { name: 'web-1' },
    deleteOptions: { gracePeriodSeconds: 5 },
  });
});

test('a binding names the node', async () => {
  await using setup = await start((_request, response) => json(response, 201, success));

  await bindPod(setup.client.core.v1.pods.namespace('here'), 'web-1', { node: 'n1' });

  expect(setup.server.seen[0]?.path).toBe('/api/v1/namespaces/here/pods/web-1/binding');
  expect(JSON.parse(setup.server.seen[0]?.body ?? '')).toMatchObject({
    kind: 'Binding',
    target: { kind: 'Node', name: 'n1' },
  });
});

test('a token is requested', async () => {
  const status = { token: 'abc', expirationTimestamp: '2026-01-01T00:00:00Z' };
  await using setup = await start((_request, response) => json(response, 201, { kind: 'TokenRequest', status }));
  const accounts = setup.client.core.v1.serviceaccounts.namespace('here');

  expect(await requestToken(accounts, 'default', { spec: { audiences: ['api'], expirationSeconds: 600 } })).toEqual(
    status,
  );
  expect(JSON.parse(setup.server.seen[0]?.body ?? '')).toMatchObject({
    spec: { audiences: ['api'], expirationSeconds: 600 },
  });
});

describe('types', () => {
  test('a namespaced resource requires a namespace for single objects', () => {
    expectTypeOf<Client['core']['v1']['pods']>().not.toHaveProperty('get');
    expectTypeOf<Client['core']['v1']['pods']>().toHaveProperty('list');
    expectTypeOf<Client['core']['v1']['nodes']>().toHaveProperty('get');
  });

  test('a stored object has the fields that the server always sets', () => {
    expectTypeOf<Stored<PodType>['metadata']['uid']>().toEqualTypeOf<string>();
    expectTypeOf<Stored<PodType>['kind']>().toEqualTypeOf<'Pod'>();
  });
});
