import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import {
  BrokerError,
  brokerClient,
  type BrokerDefinition,
  type BrokerReply,
  folderRecords,
  memoryRecords,
  serviceBroker,
} from './published.ts';

const SMALL = { serviceId: 's-1', planId: 'p-small' };
const place = { organization_guid: 'o', space_guid: 's' };
const small = { service_id: 's-1', plan_id: 'p-small', ...place };
const large = { service_id: 's-1', plan_id: 'p-large', ...place };
const LARGE = { serviceId: 's-1', planId: 'p-large' };

const catalog = {
  database: {
    id: 's-1',
    description: 'databases',
    planUpdateable: true,
    plans: {
      small: {
        id: 'p-small',
        description: 'made at once',
        parameters: z.object({ size: z.int().min(1).default(1), name: z.string().optional() }),
        bindParameters: z.object({ role: z.enum(['reader', 'writer']) }).partial(),
        maintenance: { version: '1.2.0' },
        rotatable: true,
      },
      large: {
        id: 'p-large',
        description: 'made in the background',
        async: ['provision', 'update', 'deprovision', 'bind', 'unbind'],
      },
    },
  },
  logs: {
    id: 's-2',
    description: 'for applications',
    needsApp: true,
    requires: ['syslog_drain'],
    plans: { only: { id: 'p-only', description: 'the only one' } },
  },
} as const;

type Functions = Partial<Omit<BrokerDefinition<typeof catalog>, 'catalog'>>;

/** A broker on a port, and a client of it. */
async function openBroker(functions: Functions = {}, records = memoryRecords()) {
  const calls: string[] = [];
  const broker = serviceBroker({
    catalog,
    records,
    provision: ({ plan, id }) => void calls.push(`provision ${plan} ${id}`),
    update: ({ plan, parameters }, { previous }) =>
      void calls.push(
        `update ${previous.plan} ${JSON.stringify(previous.parameters)} to ${plan} ${JSON.stringify(parameters)}`,
      ),
    deprovision: ({ id }) => void calls.push(`deprovision ${id}`),
    bind: ({ id, instance, service, parameters }) => {
      calls.push(`bind ${id}`);
      if (service === 'logs') return { syslogDrainUrl: 'syslog://logs.example.com' };
      return { credentials: { uri: `db://${instance.id}/${id}`, ...parameters } };
    },
    unbind: ({ id }) => void calls.push(`unbind ${id}`),
    dashboard: ({ id }) => `https://dash.example.com/${id}`,
    ...functions,
  });
  const server = await broker.listen({ access: { basic: { platform: 'secret' }, bearer: ['t0ken'] } });
  const client = brokerClient({ url: server.url, basic: { username: 'platform', password: 'secret' } });
  return {
    url: server.url,
    client,
    calls,
    records,
    [Symbol.asyncDispose]: async () => {
      client[Symbol.dispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Work that goes on until the test lets it end. */
function gate() {
  let open: () => void = () => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open: () => open() };
}

const seen = ({ status, body }: BrokerReply): unknown => ({ status, body });
const operationOf = ({ body }: BrokerReply): string => (body as { operation: string }).operation;

/** Polls until work in the background has ended. */
async function ended(poll: () => Promise<BrokerReply>): Promise<BrokerReply> {
  for (;;) {
    const reply = await poll();
    if ((reply.body as { state?: string } | undefined)?.state !== 'in progress') return reply;
  }
}

describe('the catalog', () => {
  test('has the schemas of the plans, and says what the broker can do', async () => {
    await using broker = await openBroker();
    const { body, headers } = await broker.client.catalog();
    expect(body).toMatchObject({
      services: [
        {
          id: 's-1',
          name: 'database',
          bindable: true,
          plan_updateable: true,
          instances_retrievable: true,
          allow_context_updates: true,
          plans: [
            {
              id: 'p-small',
              maintenance_info: { version: '1.2.0' },
              binding_rotatable: true,
              schemas: {
                service_instance: {
                  create: { parameters: { properties: { size: { type: 'integer', minimum: 1, default: 1 } } } },
                },
              },
            },
            { id: 'p-large' },
          ],
        },
        { name: 'logs', requires: ['syslog_drain'] },
      ],
    });
    const { etag = '', 'last-modified': modified = '' } = headers;
    expect((await broker.client.catalog({ headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await broker.client.catalog({ headers: { 'if-modified-since': modified } })).status).toBe(304);
    expect((await broker.client.catalog({ headers: { 'if-none-match': '"other"' } })).status).toBe(200);
  });

  test('that the specification forbids is refused when the broker is made', () => {
    const plan = { id: 'same', description: 'd', maintenance: { version: '1' } };
    const pattern = { type: 'object', properties: { a: { type: 'string', pattern: '(?=x)' } } };
    expect(() =>
      serviceBroker({
        catalog: {
          a: { id: 'same', description: '', plans: { p: plan, q: { id: 'q', description: 'd', parameters: pattern } } },
        },
        provision: () => undefined,
        deprovision: () => undefined,
      }),
    ).toThrow(
      /"description" is no text, or empty[^]*id "same" is that of another[^]*no semantic version 2.0[^]*plan "q" of service "a": the pattern \(\?=x\) cannot be used/,
    );
  });
});

describe('who may ask, and how', () => {
  test.each([
    ['no credentials', { authorization: undefined }, 401],
    ['a wrong password', { authorization: `Basic ${Buffer.from('platform:wrong').toString('base64')}` }, 401],
    ['a user of no password', { authorization: `Basic ${Buffer.from('constructor:').toString('base64')}` }, 401],
    ['a wrong token', { authorization: 'Bearer other' }, 401],
    ['a token', { authorization: 'Bearer t0ken' }, 200],
    ['no version', { 'x-broker-api-version': undefined }, 400],
    ['another major version', { 'x-broker-api-version': '3.0' }, 412],
    ['a later minor version', { 'x-broker-api-version': '2.99' }, 200],
  ])('a request with %s', async (_, headers, status) => {
    await using broker = await openBroker();
    expect((await broker.client.catalog({ headers })).status).toBe(status);
  });

  test('the identity of a request comes back, and who caused it reaches the functions', async () => {
    const seenBy: unknown[] = [];
    await using broker = await openBroker({
      provision: (_, { originator, requestId }) => void seenBy.push(originator, requestId),
    });
    const originator = { platform: 'kubernetes', value: { username: 'ann', groups: ['team'] } };
    await broker.client.provision('i', small, { originator });
    const { headers } = await broker.client.send({
      method: 'PUT',
      path: '/v2/service_instances/j',
      headers: { 'x-broker-api-request-identity': 'r-7' },
      body: small,
    });
    expect(headers['x-broker-api-request-identity']).toBe('r-7');
    expect(seenBy).toEqual([originator, undefined, undefined, 'r-7']);
    const broken = { 'x-broker-api-originating-identity': 'kubernetes ???' };
    expect(
      await broker.client.send({ method: 'PUT', path: '/v2/service_instances/k', headers: broken, body: small }),
    ).toMatchObject({ status: 400 });
  });

  test.each([
    ['no JSON', '{', {}, 400],
    ['a list', '[]', {}, 400],
    ['another type', '{}', { 'content-type': 'text/plain' }, 400],
    ['too many levels', `{"parameters":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`, {}, 400],
    ['too many bytes', JSON.stringify({ ...small, context: { text: 'x'.repeat(1024 * 1024) } }), {}, 413],
    ['no space', JSON.stringify({ ...small, space_guid: undefined }), {}, 400],
    ['an unknown plan', JSON.stringify({ ...small, plan_id: 'p-only' }), {}, 400],
    ['parameters that are a list', JSON.stringify({ ...small, parameters: [] }), {}, 400],
    ['unknown fields', JSON.stringify({ ...small, x_new: true }), {}, 201],
  ])('a body with %s', async (_, body, headers, status) => {
    await using broker = await openBroker();
    const reply = await broker.client.send({ method: 'PUT', path: '/v2/service_instances/i', body, headers });
    expect(reply.status, reply.text).toBe(status);
    expect(broker.calls).toHaveLength(status === 201 ? 1 : 0);
  });

  test('other paths and methods are refused', async () => {
    await using broker = await openBroker();
    const asked = async (method: string, path: string): Promise<number> =>
      (await broker.client.send({ method, path })).status;
    expect(await asked('GET', '/v2/other')).toBe(404);
    expect(await asked('POST', '/v2/service_instances/i')).toBe(405);
    expect(await asked('GET', '/v2/service_instances//last_operation')).toBe(404);
    expect(await asked('GET', '/v2/service_instances/%E0%A4%A')).toBe(400);
  });
});

describe('instances that are made at once', () => {
  test('live and die, and requests may be repeated', async () => {
    await using broker = await openBroker();
    const { client, calls } = broker;
    expect(seen(await client.provision('a/b', { ...small, parameters: { size: 2 } }))).toEqual({
      status: 201,
      body: { dashboard_url: 'https://dash.example.com/a/b' },
    });
    expect((await client.provision('a/b', { ...small, parameters: { size: 2 } })).status).toBe(200);
    expect((await client.provision('a/b', { ...small, parameters: { size: 3 } })).status).toBe(409);
    expect(seen(await client.instance('a/b'))).toEqual({
      status: 200,
      body: {
        service_id: 's-1',
        plan_id: 'p-small',
        dashboard_url: 'https://dash.example.com/a/b',
        parameters: { size: 2 },
        maintenance_info: { version: '1.2.0' },
      },
    });
    expect((await client.update('a/b', { service_id: 's-1', parameters: { name: 'x' } })).status).toBe(200);
    expect((await client.update('a/b', { service_id: 's-1', parameters: { name: 'x' } })).status).toBe(200);
    expect(seen(await client.instanceOperation('a/b'))).toEqual({ status: 200, body: { state: 'succeeded' } });
    expect((await client.deprovision('a/b', SMALL)).status).toBe(200);
    expect((await client.deprovision('a/b', SMALL)).status).toBe(410);
    expect((await client.instance('a/b')).status).toBe(404);
    expect((await client.instanceOperation('a/b')).status).toBe(404);
    expect(calls).toEqual([
      'provision small a/b',
      'update small {"size":2} to small {"size":2,"name":"x"}',
      'deprovision a/b',
    ]);
  });

  test('take the parameters of their plan only, with its defaults', async () => {
    await using broker = await openBroker();
    const { client } = broker;
    const reply = await client.provision('i', { ...small, parameters: { size: 0, name: 7 } });
    expect(seen(reply)).toEqual({
      status: 400,
      body: {
        error: 'InvalidParameters',
        description: 'The parameters do not fit: size: must be at least 1; name: must be a string',
      },
    });
    await client.provision('i', small);
    expect((await client.instance('i')).body).toMatchObject({ parameters: { size: 1 } });
    expect((await client.update('i', { service_id: 's-1', parameters: { size: -1 } })).status).toBe(400);
    expect((await client.instance('i')).body).toMatchObject({ parameters: { size: 1 } });
  });

  test('are of the version that the catalog has', async () => {
    await using broker = await openBroker();
    const old = await broker.client.provision('i', { ...small, maintenance_info: { version: '1.1.0' } });
    expect(old).toMatchObject({ status: 422, body: { error: 'MaintenanceInfoConflict' } });
    expect((await broker.client.provision('i', { ...small, maintenance_info: { version: '1.2.0' } })).status).toBe(201);
  });

  test('that were refused have left nothing, and that failed are cleaned up', async () => {
    const failures = [new BrokerError(400, 'no such region', { error: 'Region' }), new Error('disk on fire')];
    await using broker = await openBroker({
      provision: () => {
        throw failures.shift() ?? new Error('again');
      },
    });
    const { client, calls } = broker;
    expect(seen(await client.provision('i', small))).toEqual({
      status: 400,
      body: { error: 'Region', description: 'no such region' },
    });
    expect((await client.deprovision('i', SMALL)).status).toBe(410);
    const failed = await client.provision('i', small);
    expect(failed.status).toBe(500);
    expect(failed.text).not.toContain('fire');
    expect((await client.instance('i')).status).toBe(404);
    expect((await client.deprovision('i', SMALL)).status).toBe(200);
    expect(calls).toEqual(['deprovision i']);
  });

  test('are not changed by two requests at once', async () => {
    const work = gate();
    const begun = gate();
    await using broker = await openBroker({
      provision: () => {
        begun.open();
        return work.promise;
      },
    });
    const { client } = broker;
    const first = client.provision('i', small);
    await begun.promise;
    for (const reply of [
      await client.provision('i', small),
      await client.deprovision('i', SMALL),
      await client.bind({ instance: 'i', binding: 'b' }, small),
    ])
      expect(reply).toMatchObject({ status: 422, body: { error: 'ConcurrencyError' } });
    expect((await client.provision('i', { ...small, parameters: { size: 9 } })).status).toBe(409);
    work.open();
    expect((await first).status).toBe(201);
  });
});

describe('work in the background', () => {
  test('is followed, and requests may be repeated meanwhile', async () => {
    const work = gate();
    await using broker = await openBroker({
      async provision(_, { progress }) {
        progress('formatting');
        await work.promise;
      },
    });
    const { client } = broker;
    expect(await client.provision('i', large, { acceptsIncomplete: false })).toMatchObject({
      status: 422,
      body: { error: 'AsyncRequired' },
    });
    const begun = await client.provision('i', large);
    expect(begun).toMatchObject({ status: 202, body: { dashboard_url: 'https://dash.example.com/i' } });
    const operation = operationOf(begun);
    expect(seen(await client.provision('i', large))).toEqual(seen(begun));
    expect((await client.provision('i', { ...large, parameters: { other: 1 } })).status).toBe(409);
    const looked = await client.instanceOperation('i', { operation });
    expect(looked).toMatchObject({ body: { state: 'in progress', description: 'formatting' }, retryAfterMs: 5000 });
    expect((await client.instance('i')).status).toBe(404);
    expect((await client.instanceOperation('i', { operation: 'other' })).status).toBe(400);
    work.open();
    expect((await ended(() => client.instanceOperation('i', { operation }))).body).toMatchObject({
      state: 'succeeded',
    });
    expect((await client.instance('i')).status).toBe(200);
    const removal = operationOf(await client.deprovision('i', LARGE));
    expect((await ended(() => client.instanceOperation('i', { operation: removal }))).status).toBe(410);
  });

  test('that fails says so, and what it left behind', async () => {
    await using broker = await openBroker({
      update: () => {
        throw new BrokerError(500, 'no room', { isUsable: false, isRepeatable: false });
      },
    });
    const { client } = broker;
    const operation = operationOf(await client.provision('i', large));
    await ended(() => client.instanceOperation('i', { operation }));
    const update = operationOf(await client.update('i', { service_id: 's-1', parameters: { a: 1 } }));
    expect((await ended(() => client.instanceOperation('i', { operation: update }))).body).toEqual({
      state: 'failed',
      description: 'no room',
      instance_usable: false,
      update_repeatable: false,
    });
    expect((await client.instance('i')).body).toMatchObject({ parameters: {} });
  });

  test('is halted when the instance is deleted meanwhile', async () => {
    const halted: string[] = [];
    await using broker = await openBroker({
      provision: (_, { signal }) =>
        new Promise<void>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            halted.push('halted');
            reject(signal.reason as Error);
          });
        }),
      deprovision: () => void halted.push('deprovisioned'),
    });
    const { client } = broker;
    await client.provision('i', large);
    const operation = operationOf(await client.deprovision('i', LARGE));
    expect((await ended(() => client.instanceOperation('i', { operation }))).status).toBe(410);
    expect(halted).toEqual(['halted', 'deprovisioned']);
  });

  test('that does not hear of the deletion is not remembered', async () => {
    const work = gate();
    await using broker = await openBroker({ provision: () => work.promise });
    const { client } = broker;
    await client.provision('i', large);
    const operation = operationOf(await client.deprovision('i', LARGE));
    work.open();
    expect((await ended(() => client.instanceOperation('i', { operation }))).status).toBe(410);
    expect(broker.calls).toEqual(['deprovision i']);
  });

  test('goes on when the broker is started again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'broker-'));
    try {
      const first = await openBroker(
        {
          provision: (_, { signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener('abort', () => reject(signal.reason as Error));
            }),
        },
        folderRecords(folder),
      );
      const operation = operationOf(await first.client.provision('../i', large));
      await first[Symbol.asyncDispose]();
      await using second = await openBroker({}, folderRecords(folder));
      expect((await ended(() => second.client.instanceOperation('../i', { operation }))).body).toEqual({
        state: 'succeeded',
      });
      expect(second.calls).toEqual(['provision large ../i']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('bindings', () => {
  const key = { instance: 'i', binding: 'b' };

  test('live and die, and requests may be repeated', async () => {
    await using broker = await openBroker();
    const { client, calls } = broker;
    expect((await client.bind(key, small)).status).toBe(404);
    await client.provision('i', small);
    expect(await client.bind(key, { ...small, parameters: { role: 'king' } })).toMatchObject({ status: 400 });
    const made = { credentials: { uri: 'db://i/b', role: 'reader' } };
    expect(seen(await client.bind(key, { ...small, parameters: { role: 'reader' } }))).toEqual({
      status: 201,
      body: made,
    });
    expect(seen(await client.bind(key, { ...small, parameters: { role: 'reader' } }))).toEqual({
      status: 200,
      body: made,
    });
    expect((await client.bind(key, { ...small, parameters: { role: 'writer' } })).status).toBe(409);
    expect((await client.binding(key)).body).toEqual({ ...made, parameters: { role: 'reader' } });
    expect((await client.unbind(key, SMALL)).status).toBe(200);
    expect((await client.unbind(key, SMALL)).status).toBe(410);
    expect((await client.binding(key)).status).toBe(404);
    expect(calls).toEqual(['provision small i', 'bind b', 'unbind b']);
  });

  test('in the background give nothing away before they are there', async () => {
    await using broker = await openBroker();
    const { client } = broker;
    const operation = operationOf(await client.provision('i', large));
    await ended(() => client.instanceOperation('i', { operation }));
    const begun = await client.bind(key, large);
    expect(begun).toMatchObject({ status: 202 });
    expect(Object.keys(begun.body as object)).toEqual(['operation']);
    await ended(() => client.bindingOperation(key, { operation: operationOf(begun) }));
    expect((await client.binding(key)).body).toMatchObject({ credentials: { uri: 'db://i/b' } });
    const removal = operationOf(await client.unbind(key, LARGE));
    expect((await ended(() => client.bindingOperation(key, { operation: removal }))).status).toBe(410);
  });

  test('succeed each other', async () => {
    await using broker = await openBroker();
    const { client } = broker;
    await client.provision('i', small);
    await client.bind(key, { ...small, parameters: { role: 'reader' } });
    const next = { instance: 'i', binding: 'c' };
    const body = { predecessor_binding_id: 'b' };
    const rotated = await client.send({ method: 'PUT', path: '/v2/service_instances/i/service_bindings/c', body });
    expect(seen(rotated)).toEqual({ status: 201, body: { credentials: { uri: 'db://i/c', role: 'reader' } } });
    expect((await client.binding(key)).status).toBe(200);
    expect((await client.bind({ ...next, binding: 'd' }, { ...small, predecessor_binding_id: 'none' })).status).toBe(
      400,
    );
  });

  test('of services for applications need one', async () => {
    await using broker = await openBroker();
    const { client } = broker;
    const only = { service_id: 's-2', plan_id: 'p-only', ...place };
    await client.provision('i', only);
    expect(await client.bind(key, only)).toMatchObject({ status: 422, body: { error: 'RequiresApp' } });
    expect(await client.bind(key, { ...only, bind_resource: { app_guid: 'app' } })).toMatchObject({
      status: 201,
      body: { syslog_drain_url: 'syslog://logs.example.com' },
    });
  });

  test('go with their instance', async () => {
    await using broker = await openBroker();
    const { client, calls } = broker;
    await client.provision('i', small);
    await client.bind(key, small);
    await client.deprovision('i', SMALL);
    expect(calls.slice(2)).toEqual(['unbind b', 'deprovision i']);
  });
});

test('functions get the parameters of the plans, with their types', () => {
  serviceBroker({
    catalog,
    provision(instance) {
      if (instance.plan === 'small')
        expectTypeOf(instance.parameters).toEqualTypeOf<{ size: number; name?: string | undefined }>();
      if (instance.plan === 'large')
        expectTypeOf(instance.parameters).toEqualTypeOf<Readonly<Record<string, unknown>>>();
      expectTypeOf(instance.service).toEqualTypeOf<'database' | 'logs'>();
    },
    deprovision: () => undefined,
    bind(binding) {
      if (binding.plan === 'small')
        expectTypeOf(binding.parameters.role).toEqualTypeOf<'reader' | 'writer' | undefined>();
      return {};
    },
  });
});
