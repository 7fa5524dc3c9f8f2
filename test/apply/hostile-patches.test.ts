import { describe, expect, test } from 'vitest';
import { encodeJson } from '../../src/api/index.ts';
import { TestServer } from '../vectors/apply/test-server.ts';

const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const MAPS = '/api/v1/namespaces/ns/configmaps';
const TEMPLATES = '/api/v1/namespaces/ns/podtemplates';

/** Processor time that no request of a few megabytes may need: work that grows with its square takes minutes. Test files that run beside this one are counted too. */
const BOUND_MS = 20_000;

async function withObjects<T>(use: (server: TestServer) => Promise<T>): Promise<T> {
  await using server = new TestServer();
  await server.send('POST', MAPS, { body: { metadata: { name: 'x' }, data: { a: '1' } } });
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  await server.send('POST', TEMPLATES, { body: { metadata: { name: 'x', finalizers: ['x.io/a'] }, template } });
  return await use(server);
}

/** Sends a patch; nothing may be stored when it is refused, and it must be over soon. */
async function refused(path: string, type: string, body: unknown): Promise<{ code: number; message: string }> {
  return withObjects(async (server) => {
    const before = await server.send('GET', path);
    const start = process.cpuUsage();
    const force = type === APPLY ? '&force=true' : '';
    const reply = await server.send('PATCH', `${path}?fieldManager=h${force}`, { body, type });
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(BOUND_MS);
    expect(await server.send('GET', path)).toEqual(before);
    return { code: reply.code, message: String(reply.body['message']) };
  });
}

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe('hostile patches are refused in bounded time, and nothing is stored', () => {
  test('too many operations', async () => {
    const body = many(10_001, () => ({ op: 'test', path: '/data/a', value: '1' }));
    expect(await refused(`${MAPS}/x`, JSON_PATCH, body)).toEqual({
      code: 413,
      message: 'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    });
  });

  test('operations that copy what they have copied', async () => {
    const body = [
      { op: 'add', path: '/x', value: { y: 'z'.repeat(1000) } },
      ...many(9000, (index) => ({ op: 'copy', from: '/x', path: `/x/c${index}` })),
    ];
    expect((await refused(`${MAPS}/x`, JSON_PATCH, body)).code).toBe(422);
  });

  test('operations that shift a long list again and again', async () => {
    const body = [
      { op: 'add', path: '/x', value: many(200_000, () => 1) },
      ...many(9000, () => ({ op: 'add', path: '/x/0', value: 1 })),
      { op: 'test', path: '/x', value: 0 },
    ];
    expect((await refused(`${MAPS}/x`, JSON_PATCH, body)).code).toBe(422);
  });

  test.each([
    [JSON_PATCH, `[{"op":"add","path":"/data/b","value":${nested(9000)}}]`],
    [MERGE, nested(9000)],
    [STRATEGIC, nested(9000)],
    [APPLY, nested(9000)],
  ])('%s nested far too deeply', async (type, body) => {
    expect((await refused(`${MAPS}/x`, type, body)).code).toBe(400);
  });

  test('paths that lead thousands of steps into nothing', async () => {
    const path = '/a'.repeat(100_000);
    expect((await refused(`${MAPS}/x`, JSON_PATCH, [{ op: 'add', path, value: 1 }])).code).toBe(422);
  });

  test('a strategic merge of a very long list with itself, in an order of its own', async () => {
    const containers = many(30_000, (index) => ({ name: `c${index % 20_000}`, image: 5 }));
    const order = many(20_000, (index) => ({ name: `c${index}` }));
    const spec = { containers, '$setElementOrder/containers': order };
    expect((await refused(`${TEMPLATES}/x`, STRATEGIC, { template: { spec } })).code).toBeGreaterThanOrEqual(400);
  });

  test('a strategic merge of very many equal scalars', async () => {
    const finalizers = [...many(100_000, (index) => `x.io/${index % 7}`), 7];
    expect((await refused(`${TEMPLATES}/x`, STRATEGIC, { metadata: { finalizers } })).code).toBe(500);
    const order = { finalizers: many(100_000, (index) => `${index}`), '$setElementOrder/finalizers': [] };
    expect((await refused(`${TEMPLATES}/x`, STRATEGIC, { metadata: order })).code).toBe(422);
  });

  test('an applied list with a hundred thousand items, two of them with the same key', async () => {
    const env = many(60_000, (index) => ({ name: `e${index % 59_999}` }));
    const template = { spec: { containers: [{ name: 'c', env }] } };
    const body = { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'x' }, template };
    const { code, message } = await refused(`${TEMPLATES}/x`, APPLY, body);
    expect([code, message]).toEqual([
      500,
      'failed to create typed patch object (/x; /v1, Kind=PodTemplate): ' +
        '.template.spec.containers[name="c"].env: duplicate entries for key [name="e0"]',
    ]);
  });

  test('YAML that grows by aliases', async () => {
    const lines = many(12, (level) => `l${level + 1}: &l${level + 1} [${many(12, () => `*l${level}`).join(',')}]`);
    expect((await refused(`${MAPS}/x`, APPLY, `l0: &l0 [x]\n${lines.join('\n')}\n`)).code).toBe(400);
  });

  test.each([
    ['an unknown directive', { template: { metadata: { labels: { $patch: 'explode' } } } }, 500],
    ['retained keys that are no list', { $retainKeys: 'all' }, 400],
    ['an order that is no list', { metadata: { '$setElementOrder/finalizers': 'up' } }, 500],
    ['an order of a field that is not there', { '$setElementOrder/nothing': [1] }, 500],
    ['a list of lists', { metadata: { finalizers: [['x']] } }, 500],
    [
      'a list that starts with null',
      { metadata: { ownerReferences: [null], '$setElementOrder/ownerReferences': [null] } },
      500,
    ],
  ])('%s', async (_name, body, code) => {
    expect((await refused(`${TEMPLATES}/x`, STRATEGIC, body)).code).toBe(code);
  });
});

describe('prototypes are not what patches are about', () => {
  test.each([
    [MERGE, '{"data":{"__proto__":"p"},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    [STRATEGIC, '{"data":{"__proto__":"p"},"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'],
    [
      JSON_PATCH,
      '[{"op":"add","path":"/data/__proto__","value":"p"},{"op":"test","path":"/constructor/prototype/x","value":null}]',
    ],
    [
      JSON_PATCH,
      '[{"op":"add","path":"/data/__proto__","value":"p"},{"op":"add","path":"/__proto__/polluted","value":1}]',
    ],
    [APPLY, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{"__proto__":"p"}}'],
  ])('%s %s', async (type, body) => {
    await withObjects(async (server) => {
      const reply = await server.send('PATCH', `${MAPS}/x?fieldManager=h`, { body, type });
      expect('polluted' in {}).toBe(false);
      expect(Object.hasOwn(Object, 'x')).toBe(false);
      if (reply.code < 300) expect(encodeJson(reply.body['data'])).toContain('"__proto__":"p"');
    });
  });

  test('managedFields of any shape may be sent by any client', async () => {
    await withObjects(async (server) => {
      const entry = { manager: 'h', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };
      const shapes: unknown[] = [
        JSON.parse(nested(900)),
        { 'f:__proto__': { 'f:polluted': {} } },
        { 'k:{}': {} },
        { 'f:a': [] },
        'text',
        5,
        null,
      ];
      for (const fieldsV1 of shapes) {
        const current = await server.send('GET', `${MAPS}/x`);
        const metadata = { ...(current.body['metadata'] as object), managedFields: [{ ...entry, fieldsV1 }] };
        const reply = await server.send('PUT', `${MAPS}/x`, { body: { ...current.body, metadata } });
        expect([200, 400, 422]).toContain(reply.code);
      }
      expect('polluted' in {}).toBe(false);
    });
  });
});
