import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, describe, test } from 'vitest';
import { assertUnharmed, restOf, startTransport, text, turn } from './testing/test-transport.ts';
import type { Respond, TestOptions, TestTransport } from './testing/test-transport.ts';

let server: TestTransport;

async function start(
  respond: Respond = ({ request: { path } }) => text(path),
  options: TestOptions = {},
): Promise<void> {
  server = await startTransport(respond, options);
}

afterEach(() => assertUnharmed(server));

async function answerTo(bytes: string, options: TestOptions = {}): Promise<string> {
  await start(undefined, options);
  const socket = await server.raw();
  socket.write(bytes, 'latin1');
  return restOf(socket);
}

const BAD_REQUEST =
  'HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n\r\n400 Bad Request';

const UPGRADE = 'GET /x HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n';
const POST = 'POST / HTTP/1.1\r\nhost: x\r\n';

describe('invalid HTTP/1.1', () => {
  test.each([
    ['garbage', 'asdf\r\n\r\n'],
    ['binary garbage', '\u0000\u0001\u00ff\r\n\r\n'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nhost: x\r\nfoo bar\r\n\r\n'],
    ['two different lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nab'],
    ['a length that is no number', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n'],
    [
      'length and chunks, which invites smuggling',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n',
    ],
    ['a version from the future', 'GET / HTTP/3.7\r\nhost: x\r\n\r\n'],
  ])('%s is answered with 400', async (_name, bytes) => {
    assert.equal(await answerTo(bytes), BAD_REQUEST);
  });

  test.each([
    ['a path that cannot be decoded', 'GET /api/v1/%zz HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['asterisk with the wrong method', 'GET * HTTP/1.1\r\nhost: x\r\n\r\n'],
  ])('%s is answered with 400', async (_name, bytes) => {
    assert.match(await answerTo(bytes), /^HTTP\/1.1 400 Bad Request\r\n/);
  });

  test.each([
    ['two hosts', 'GET / HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n', '400 Bad Request: too many Host headers'],
    ['the same host twice', 'GET / HTTP/1.1\r\nhost: x\r\nhost: x\r\n\r\n', '400 Bad Request: too many Host headers'],
    ['two hosts in an upgrade', `${UPGRADE}host: y\r\n\r\n`, '400 Bad Request: too many Host headers'],
    ['HTTP/0.9', 'GET /\r\n\r\n', '400 Bad Request'],
    ['HTTP/0.9 that says so', 'GET / HTTP/0.9\r\nhost: x\r\n\r\n', '400 Bad Request'],
    ['a body in gzip and chunks', `${POST}transfer-encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, '501 Not Implemented'],
    [
      'codings in two headers',
      `${POST}transfer-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      '501 Not Implemented',
    ],
    ['chunks twice', `${POST}transfer-encoding: chunked, chunked\r\n\r\n0\r\n\r\n`, ''],
    ['a body as it is', `${POST}transfer-encoding: identity\r\n\r\n`, ''],
  ])('%s is refused as Go does, and reaches no handler', async (_name, bytes, line) => {
    let calls = 0;
    await start((call) => {
      if (call.request.path !== '/alive') calls += 1;
      return text(call.request.path);
    });
    const socket = await server.raw();
    socket.write(bytes, 'latin1');
    const received = await restOf(socket);
    assert.match(received, /^HTTP\/1\.1 [45]/);
    if (line !== '') assert.equal(received.slice(9, received.indexOf('\r\n')), line);
    assert.match(received, /\r\nConnection: close\r\n/);
    assert.equal(calls, 0);
  });

  test('refusing a pipelined request does not affect the answer before it', async () => {
    let release!: () => void;
    const released = new Promise<void>((resolve) => (release = resolve));
    const calls: string[] = [];
    await start(async (call) => {
      if (call.request.path === '/alive') return text(call.request.path);
      calls.push(call.request.path);
      await released;
      return text('first');
    });
    const socket = await server.raw();
    socket.write('GET /1 HTTP/1.1\r\nhost: x\r\n\r\nGET /2 HTTP/1.1\r\nhost: x\r\nhost: y\r\n\r\n');
    const rest = restOf(socket);
    while (calls.length === 0) await turn();
    await turn();
    release();
    const received = await rest;
    assert.match(received, /\r\n\r\nfirst$/);
    assert.deepEqual(calls, ['/1']);
  });

  test('an unknown method is answered with the 405 of upstream', async () => {
    const received = await answerTo('FOO /api/v1/namespaces/default HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.match(received, /^HTTP\/1.1 405 Method Not Allowed\r\n/);
    const status = JSON.parse(received.split('\r\n\r\n')[1] ?? '');
    assert.equal(status.message, 'the server does not allow this method on the requested resource');
    assert.equal(status.reason, 'MethodNotAllowed');
  });

  test('a broken chunk in the middle of a body ends the connection', async () => {
    await start(async (call) => {
      if (call.request.method === 'POST') await call.request.body(100);
      return text(call.request.path);
    });
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nzz\r\n');
    await restOf(socket);
  });

  test('headers that are too large are answered with 431', async () => {
    const bytes = `GET / HTTP/1.1\r\nhost: x\r\nlarge: ${'x'.repeat(20_000)}\r\n\r\n`;
    const received = await answerTo(bytes, { limits: { maxHeaderBytes: 16 * 1024 } });
    assert.match(
      received,
      /^HTTP\/1.1 431 Request Header Fields Too Large\r\n[^]*\r\n\r\n431 Request Header Fields Too Large$/,
    );
  });

  test('no header is dropped, however many there are', async () => {
    await start((call) => text(call.request.header('impersonate-user') ?? call.request.path));
    const headers = Object.fromEntries(Array.from({ length: 5_000 }, (_unused, index) => [`x-${index}`, '1']));
    const { body } = await server.getHttp1({ headers: { ...headers, 'impersonate-user': 'x' } });
    assert.equal(body.toString(), 'x');
  });

  test('too many pipelined requests end the connection', async () => {
    let calls = 0;
    await start(async (call) => {
      if (call.request.path === '/alive') return text(call.request.path);
      calls += 1;
      await once(call.request.signal, 'abort');
      return text('never');
    });
    const socket = await server.raw();
    socket.write('GET /x HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000));
    await restOf(socket);
    assert.equal(calls, 100);
  });
});

test('a request in absolute form is served', async () => {
  const received = await answerTo('GET https://x:443/version?a=1 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.match(received, /\r\n\r\n\/version$/);
});

test('OPTIONS * is answered as Go does', async () => {
  const received = await answerTo('OPTIONS * HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  assert.match(received, /^HTTP\/1.1 200 OK\r\ncontent-length: 0\r\n/);
});
