import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { brokerClient, type BrokerReply, BrokerUnreachable } from './broker-client.ts';
import { interpretPoll, interpretReply } from './interpret-reply.ts';

async function server(handler: RequestListener): Promise<AsyncDisposable & { readonly url: string }> {
  const listening = createServer(handler).listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/behind/`,
    [Symbol.asyncDispose]: async () => {
      listening.close().closeAllConnections();
      await once(listening, 'close');
    },
  };
}

test('requests are those of the specification', async () => {
  const seen: string[] = [];
  await using broker = await server((request, response) => {
    seen.push(
      `${request.method} ${request.url} ${request.headers['x-broker-api-version']} ${request.headers.authorization}`,
    );
    response.writeHead(200, { 'retry-after': '7' }).end('{"state":"in progress"}');
  });
  using client = brokerClient({ url: broker.url, basic: { username: 'u', password: 'p' } });
  const reply = await client.instanceOperation('a/b', { operation: 'x y', serviceId: 's', planId: 'p' });
  expect(reply).toMatchObject({ status: 200, retryAfterMs: 7000, body: { state: 'in progress' } });
  await client.unbind({ instance: 'i', binding: 'b' }, { serviceId: 's', planId: 'p' });
  await client.deprovision('i', { serviceId: 's', planId: 'p' }, { acceptsIncomplete: false });
  const basic = `Basic ${Buffer.from('u:p').toString('base64')}`;
  expect(seen).toEqual([
    `GET /behind/v2/service_instances/a%2Fb/last_operation?service_id=s&plan_id=p&operation=x+y 2.17 ${basic}`,
    `DELETE /behind/v2/service_instances/i/service_bindings/b?service_id=s&plan_id=p&accepts_incomplete=true 2.17 ${basic}`,
    `DELETE /behind/v2/service_instances/i?service_id=s&plan_id=p 2.17 ${basic}`,
  ]);
});

test('a broker that is away or silent is distinguished', async () => {
  await using silent = await server(() => undefined);
  using slow = brokerClient({ url: silent.url, timeout: '20ms' });
  await expect(slow.catalog()).rejects.toMatchObject({ name: 'BrokerUnreachable', isTimeout: true });
  using away = brokerClient({ url: 'http://127.0.0.1:1' });
  await expect(away.catalog()).rejects.toMatchObject({ name: 'BrokerUnreachable', isTimeout: false });
  expect(() => brokerClient({ url: 'ftp://broker' })).toThrow('need http:// or https://');
});

test('a broker of this process answers without a network', async () => {
  const asked: string[] = [];
  using client = brokerClient({
    url: 'http://nowhere.example/behind',
    basic: { username: 'u', password: 'p' },
    answer: async ({ method, url, headers, body }) => {
      asked.push(
        `${method} ${url} ${headers['x-broker-api-version']} ${headers['authorization']?.split(' ')[0]} ${body}`,
      );
      if (method === 'DELETE') throw new Error('gone');
      return { status: 202, body: { operation: 'o' }, headers: { 'retry-after': '3' } };
    },
  });
  const body = { service_id: 's', plan_id: 'p', organization_guid: 'o', space_guid: 's' };
  expect(await client.provision('i', body)).toMatchObject({
    status: 202,
    body: { operation: 'o' },
    retryAfterMs: 3000,
  });
  await expect(client.deprovision('i', { serviceId: 's', planId: 'p' })).rejects.toMatchObject({
    name: 'BrokerUnreachable',
    isTimeout: false,
  });
  expect(asked).toEqual([
    `PUT /behind/v2/service_instances/i?accepts_incomplete=true 2.17 Basic ${JSON.stringify(body)}`,
    'DELETE /behind/v2/service_instances/i?service_id=s&plan_id=p&accepts_incomplete=true 2.17 Basic ',
  ]);
});

function reply(status: number, body: unknown, text = JSON.stringify(body)): BrokerReply {
  return { status, body, text, headers: {}, retryAfterMs: undefined };
}

const timeout = new BrokerUnreachable('late', { isTimeout: true, cause: undefined });

describe('answers mean what the specification says', () => {
  test.each([
    ['provision', reply(201, {}), 'done'],
    ['provision', reply(202, { operation: 'o' }), 'begun'],
    ['deprovision', reply(410, {}), 'done'],
    ['provision', reply(201, undefined, 'oops'), 'orphan'],
    ['provision', reply(200, undefined, 'oops'), 'failed'],
    ['provision', reply(202, { operation: 7 }), 'orphan'],
    ['provision', reply(204, {}), 'orphan'],
    ['bind', reply(500, {}), 'orphan'],
    ['unbind', reply(503, {}), 'orphan'],
    ['update', reply(500, {}), 'failed'],
    ['update', reply(410, {}), 'failed'],
    ['provision', reply(409, {}), 'failed'],
    ['provision', reply(408, {}), 'failed'],
    ['bind', reply(422, { error: 'ConcurrencyError' }), 'failed'],
    ['provision', timeout, 'orphan'],
    ['bind', timeout, 'orphan'],
    ['deprovision', timeout, 'failed'],
  ] as const)('%s: %o is %s', (verb, given, meaning) => {
    const outcome = interpretReply(verb, given);
    expect(outcome.type === 'failed' && outcome.leavesOrphan ? 'orphan' : outcome.type).toBe(meaning);
  });

  test.each([
    ['provision', reply(200, { state: 'succeeded' }), { type: 'succeeded' }],
    [
      'provision',
      reply(200, { state: 'failed', description: 'd' }),
      { type: 'failed', message: 'd', leavesOrphan: true },
    ],
    ['update', reply(200, { state: 'failed', update_repeatable: false }), { leavesOrphan: false, isRetryable: false }],
    ['provision', reply(410, {}), { type: 'unknown' }],
    ['deprovision', reply(410, {}), { type: 'succeeded' }],
    ['unbind', reply(404, {}), { type: 'unknown' }],
    ['bind', reply(200, { state: 'nearly' }), { type: 'unknown' }],
    ['bind', timeout, { type: 'unknown' }],
  ] as const)('a look at work of %s: %o', (verb, given, meaning) => {
    expect(interpretPoll(verb, given)).toMatchObject(meaning);
  });
});
