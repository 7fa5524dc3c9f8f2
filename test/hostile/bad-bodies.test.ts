import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { send } from '../support/request.ts';
import type { RawAnswer } from '../support/request.ts';
import { startTestCluster } from '../support/test-cluster.ts';
import type { TestCluster } from '../support/test-cluster.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

interface Status {
  readonly kind: string;
  readonly status: string;
  readonly reason?: string;
  readonly message: string;
  readonly code: number;
}

describe('a body that makes no sense', () => {
  let cluster: TestCluster;
  beforeAll(async () => {
    cluster = await startTestCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function post(body: string | Uint8Array, contentType: string, path = PATH): Promise<Status> {
    const answer: RawAnswer = await send(cluster, path, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
    const status = answer.json as Status;
    expect(status.kind).toBe('Status');
    expect(status.code).toBe(answer.code);
    return status;
  }

  async function storedNames(): Promise<string[]> {
    const { json } = await send(cluster, PATH);
    return (json as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);
  }

  test.each([
    ['cut off', '{"metadata":{"name":"x"'],
    ['no object', '[1,2,3]'],
    ['no JSON at all', 'hello'],
    ['empty', ''],
    ['a lone quote', '"'],
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)],
    ['a number where an object belongs', '{"metadata":7}'],
  ])('as JSON (%s) is refused with 400', async (_name, body) => {
    expect(await post(body, 'application/json')).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test.each([
    ['an open list', 'a: ['],
    ['a tab for indentation', 'metadata:\n\tname: x'],
    [
      'an alias bomb',
      `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghij'].map((name, index) => `${name}: &${name} [${'*'.concat('abcdefghi'[index] ?? 'a', ',').repeat(9)}]`).join('\n')}`,
    ],
  ])('as YAML (%s) is refused with 400', async (_name, body) => {
    expect(await post(body, 'application/yaml')).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test.each([
    ['without the envelope', Uint8Array.of(1, 2, 3)],
    ['with nothing in the envelope', Uint8Array.of(0x6b, 0x38, 0x73, 0)],
    ['with a length beyond the end', Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, 0xff, 0xff, 0xff, 0x0f)],
    ['with an endless varint', Uint8Array.of(0x6b, 0x38, 0x73, 0, ...Array.from({ length: 64 }, () => 0xff))],
  ])('as protobuf (%s) is refused with 400', async (_name, body) => {
    expect(await post(body, 'application/vnd.kubernetes.protobuf')).toMatchObject({ code: 400, reason: 'BadRequest' });
  });

  test('nested 100,000 deep is refused without a stack overflow', async () => {
    const depth = 100_000;
    const body = `{"metadata":{"name":"deep"},"data":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    expect(await post(body, 'application/json')).toMatchObject({ code: 400 });
  });

  test('with duplicate keys is refused when strict, naming each', async () => {
    const status = await post(
      '{"metadata":{"name":"dup"},"data":{"a":"1","a":"2"}}',
      'application/json',
      `${PATH}?fieldValidation=Strict`,
    );
    expect(status.message).toContain('strict decoding error: duplicate field "data.a"');
  });

  test('of another kind, version, namespace or name is refused and says which', async () => {
    const json = 'application/json';
    expect((await post('{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}', json)).message).toContain(
      'cannot be handled as a ConfigMap',
    );
    expect((await post('{"kind":"ConfigMap","apiVersion":"v2","metadata":{"name":"x"}}', json)).message).toContain(
      'no kind "ConfigMap" is registered for version "v2"',
    );
    expect((await post('{"metadata":{"name":"x","namespace":"other"}}', json)).message).toContain(
      'does not match the namespace sent on the request',
    );
    expect(await post('{"metadata":{"name":"UPPER"}}', json)).toMatchObject({ code: 422, reason: 'Invalid' });
  });

  test('of ten MiB is refused with 413', async () => {
    const body = JSON.stringify({ metadata: { name: 'big' }, data: { text: 'x'.repeat(10 * 1024 * 1024) } });
    expect(await post(body, 'application/json')).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
  });

  test('in an unsupported format is refused with 415, naming the supported ones', async () => {
    const status = await post('x', 'text/plain');
    expect(status).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    expect(status.message).toContain('application/json, application/yaml, application/vnd.kubernetes.protobuf');
  });

  test('with "__proto__" in it pollutes nothing and comes back as sent', async () => {
    const created = await send(cluster, PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"metadata":{"name":"proto"},"data":{"__proto__":"a","constructor":"b"}}',
    });
    expect(created.code).toBe(201);
    expect(created.text).toContain('"__proto__":"a"');
    expect('a' in {}).toBe(false);
    await send(cluster, `${PATH}/proto`, { method: 'DELETE' });
  });

  test('leaves nothing stored and nothing to complain about in the log', async () => {
    expect(await storedNames()).toEqual([]);
    expect(cluster.problems).toEqual([]);
  });
});
