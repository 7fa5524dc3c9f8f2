import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { GZIP_ABOVE_BYTES } from './gzip-body.ts';
import {
  type ClientRequest,
  type Received,
  startTransport,
  type TestTransport,
  text,
} from './testing/test-transport.ts';

const protocols: readonly [string, (server: TestTransport, request?: ClientRequest) => Promise<Received>][] = [
  ['HTTP/2', (server, request) => server.getHttp2(request)],
  ['HTTP/1.1', (server, request) => server.getHttp1(request)],
];

const gzip = { headers: { 'accept-encoding': 'deflate, gzip, br' } };

const large = Buffer.from(Array.from({ length: 50_000 }, (_unused, index) => `{"item":${index * 7919}}`).join(','));

describe.each(protocols)('over %s', (_name, get) => {
  test('a large answer is compressed for clients that accept gzip', async () => {
    await using server = await startTransport(() => ({ code: 200, headers: { vary: 'Accept' }, body: large }));
    const { code, headers, body } = await get(server, gzip);
    assert.equal(code, 200);
    assert.equal(headers['content-encoding'], 'gzip');
    assert.equal(headers['vary'], 'Accept-Encoding, Accept');
    assert.equal(headers['content-length'], undefined);
    assert.ok(body.length < large.length / 3);
    assert.ok(gunzipSync(body).equals(large));
    await server.observed.until(() => server.observed.answers.length === 1);
    assert.equal(server.observed.answers[0]?.bytes, body.length);
  });

  test('an answer in many pieces is compressed as a whole', async () => {
    const pieces = Array.from({ length: 3_000 }, (_unused, index) => large.subarray(index * 300, index * 300 + 300));
    const huge = Buffer.alloc(1_000_000, 'abc');
    await using server = await startTransport(() => ({
      code: 200,
      headers: {},
      body: [...pieces, huge, Buffer.from('end')],
    }));
    const { body } = await get(server, gzip);
    assert.ok(gunzipSync(body).equals(Buffer.concat([...pieces, huge, Buffer.from('end')])));
  });

  test.each([
    ['who does not take it', {}, large],
    ['who takes it only with a weight, as upstream reads the header', { 'accept-encoding': 'gzip;q=1.0' }, large],
    ['an answer of no more than 128 KiB', gzip.headers, large.subarray(0, GZIP_ABOVE_BYTES)],
  ])('nothing is compressed for %s', async (_case, headers, body) => {
    await using server = await startTransport(() => ({ code: 200, headers: {}, body }));
    const received = await get(server, { headers });
    assert.equal(received.headers['content-encoding'], undefined);
    assert.equal(received.headers['content-length'], String(body.length));
    assert.ok(received.body.equals(body));
  });

  test('an answer that is already compressed is unchanged', async () => {
    const headers = { 'content-encoding': 'gzip' };
    await using server = await startTransport(() => ({ code: 200, headers, body: large }));
    assert.ok((await get(server, gzip)).body.equals(large));
  });

  test('streams are not compressed', async () => {
    async function* source(): AsyncGenerator<Uint8Array> {
      yield large;
    }
    await using server = await startTransport(() => ({ code: 200, headers: {}, body: source() }));
    const { headers, body } = await get(server, { ...gzip, path: '/api/v1/pods?watch=1' });
    assert.equal(headers['content-encoding'], undefined);
    assert.ok(body.equals(large));
  });

  test('compression can be switched off', async () => {
    await using server = await startTransport(() => ({ code: 200, headers: {}, body: large }), { compress: false });
    assert.equal((await get(server, gzip)).headers['content-encoding'], undefined);
  });
});

test('a client that leaves while its answer is being compressed stops the work', async () => {
  const body = Array.from({ length: 400 }, () => large);
  await using server = await startTransport(({ request: { path } }) =>
    path === '/list' ? { code: 200, headers: {}, body } : text('x'),
  );
  const stream = server.http2().request({ ':path': '/list', 'accept-encoding': 'gzip' });
  stream.once('data', () => stream.close());
  await server.observed.until(() => server.observed.answers.length === 1);
  assert.equal(server.observed.answers[0]?.outcome, 'cut');
  assert.deepEqual(server.log, []);
});
