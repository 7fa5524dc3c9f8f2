import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, test } from 'vitest';
import { discardLogger } from '../../base/index.ts';
import { requires } from '../../base/testing/requires.ts';
import { BodyBuffer } from './body-reader.ts';
import { open, over, restOf, startTransport, type TestTransport, text } from './testing/test-transport.ts';

const LIMIT = 3 * 1024 * 1024;
const TOO_LARGE = {
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'Request entity too large: limit is 3145728',
  reason: 'RequestEntityTooLarge',
  code: 413,
};

function startReading(): Promise<TestTransport> {
  return startTransport(async (call) => text(String((await call.request.body(LIMIT)).length)));
}

const big = Buffer.alloc(LIMIT + 1, 'x');

describe('over HTTP/2', () => {
  test('a body of exactly the limit is read', async () => {
    await using server = await startReading();
    const received = await server.getHttp2({ method: 'POST', body: big.subarray(1) });
    assert.equal(received.body.toString(), String(LIMIT));
  });

  test('a longer body is refused with 413, and the connection stays open', async () => {
    await using server = await startReading();
    const session = server.http2();
    const received = await over(session, { method: 'POST', body: big });
    assert.equal(received.code, 413);
    assert.deepEqual(JSON.parse(received.body.toString()), TOO_LARGE);
    assert.equal((await over(session, { method: 'POST', body: 'abc' })).body.toString(), '3');
  });

  test('a length above the limit is refused before the body arrives', async () => {
    await using server = await startReading();
    const unsent = server.http2().request({ ':method': 'POST', 'content-length': 1e9 }, { endStream: false });
    const [headers] = await once(unsent, 'response');
    assert.equal(headers[':status'], 413);
  });

  test('a client that continues sending after its answer is stopped, and other streams continue', async () => {
    await using server = await startReading();
    const session = server.http2();
    const stream = session.request({ ':method': 'POST' }, { endStream: false });
    const pump = (): void => {
      while (!stream.destroyed && stream.write(Buffer.alloc(65_536)));
    };
    stream.on('drain', pump);
    pump();
    const [headers] = await once(stream, 'response');
    assert.equal(headers[':status'], 413);
    stream.resume();
    await once(stream, 'close');
    assert.equal(stream.rstCode, 0);
    assert.equal((await over(session, { method: 'POST', body: 'abc' })).body.toString(), '3');
  });

  test('requests with a body count as answered, not as reset', async () => {
    await using server = await startTransport(async (call) => text(String((await call.request.body(LIMIT)).length)), {
      limits: { maxResets: 5, resetsPerSecond: 0 },
    });
    const session = server.http2();
    for (let count = 0; count < 50; count++) {
      assert.equal((await over(session, { method: 'POST', body: 'abc' })).body.toString(), '3');
    }
    await server.observed.until(() => server.observed.answers.length === 50);
    assert.ok(server.observed.answers.every(({ outcome }) => outcome === 'complete'));
  });

  test('fewer bytes than announced end the stream with a protocol error', async () => {
    await using server = await startReading();
    const session = server.http2();
    const stream = open(session, { method: 'POST', headers: { 'content-length': 10 }, body: 'abc' });
    // From Node 24 on the connection ends with the error; before, only the stream.
    await assert.rejects(once(stream, 'response'), /PROTOCOL_ERROR|Session closed with error code/);
    assert.equal((await over(server.http2(), { method: 'POST', body: 'abc' })).body.toString(), '3');
  });

  test('more bytes than announced end the stream with a protocol error', async () => {
    await using server = await startReading();
    const session = server.http2();
    const stream = open(session, { method: 'POST', headers: { 'content-length': 1 }, body: 'abc' });
    // From Node 24 on the connection ends with the error; before, only the stream.
    await assert.rejects(once(stream, 'response'), /PROTOCOL_ERROR|Session closed with error code/);
    assert.equal((await over(server.http2(), { method: 'POST', body: 'abc' })).body.toString(), '3');
  });

  test('a client with expect: 100-continue gets 100 when the handler reads the body', async () => {
    await using server = await startReading();
    const headers = { ':method': 'POST', expect: '100-continue' };
    const stream = server.http2().request(headers, { endStream: false });
    const [interim] = await once(stream, 'headers');
    assert.equal(interim[':status'], 100);
    stream.end('body');
    stream.setEncoding('utf8');
    assert.equal((await stream.toArray()).join(''), '4');
  });
});

describe('over HTTP/1.1', () => {
  test('a body of exactly the limit is read', async () => {
    await using server = await startReading();
    const received = await server.getHttp1({ method: 'POST', body: big.subarray(1) });
    assert.equal(received.body.toString(), String(LIMIT));
  });

  test('a longer body is refused with 413', async () => {
    await using server = await startReading();
    const received = await server.getHttp1({ method: 'POST', body: big });
    assert.equal(received.code, 413);
    assert.equal(received.headers.connection, 'close');
    assert.deepEqual(JSON.parse(received.body.toString()), TOO_LARGE);
  });

  test('a longer body without a length (chunked) is refused with 413', async () => {
    await using server = await startReading();
    const received = await server.getHttp1({ method: 'POST', headers: { 'transfer-encoding': 'chunked' }, body: big });
    assert.equal(received.code, 413);
    assert.deepEqual(JSON.parse(received.body.toString()), TOO_LARGE);
  });

  test('a client that sends without end gets its answer, and the connection is closed', async () => {
    await using server = await startReading();
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n');
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), Buffer.alloc(65_536), Buffer.from('\r\n')]);
    const pump = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pump);
    pump();
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString()));
    await new Promise((resolve) => socket.once('close', resolve));
    assert.match(received, /^HTTP\/1.1 413 /);
    assert.match(received, /Request entity too large: limit is 3145728/);
  });

  test('a truncated body never reaches the handler', async () => {
    let outcome: Promise<unknown> | undefined;
    await using server = await startTransport(async (call) => {
      outcome = call.request.body(LIMIT).catch((error: unknown) => error);
      await outcome;
      return text('never seen');
    });
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nabc');
    await new Promise<void>((resolve) => socket.end(resolve));
    await server.observed.until(() => server.observed.answers.length === 1);
    assert.match(String(await outcome), /unexpected EOF/);
    assert.deepEqual(server.log, []);
  });

  test('bytes after the declared length are not part of the body', async () => {
    await using server = await startReading();
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\nabcdef\r\n\r\n');
    const received = (await socket.setEncoding('utf8').toArray()).join('');
    assert.match(received, /^HTTP\/1.1 200 OK[^]*connection: close[^]*\r\n\r\n2$/);
  });

  test('a small unread body does not end the connection', async () => {
    await using server = await startTransport(({ request: { path } }) => text(path));
    const socket = await server.raw();
    const post = 'POST /1 HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\nabc';
    socket.write(`${post}GET /2 HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
    const received = (await socket.setEncoding('utf8').toArray()).join('');
    assert.match(received, /\/1HTTP\/1.1 200 OK[^]*\/2$/);
  });

  test('a client with expect: 100-continue gets 100 when the handler reads the body', async () => {
    await using server = await startReading();
    const socket = await server.raw();
    socket.setEncoding('utf8');
    socket.write(
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\nexpect: 100-continue\r\nconnection: close\r\n\r\n',
    );
    const [interim] = await once(socket, 'data');
    assert.equal(interim, 'HTTP/1.1 100 Continue\r\n\r\n');
    socket.write('body');
    const received = (await socket.toArray()).join('');
    assert.match(received, /^HTTP\/1.1 200 OK[^]*4$/);
  });

  test('a client with expect: 100-continue is answered at once when the handler does not read the body', async () => {
    await using server = await startTransport(() => text('no', {}, 401));
    const socket = await server.raw();
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\nexpect: 100-continue\r\n\r\n');
    const received = (await socket.setEncoding('utf8').toArray()).join('');
    assert.match(received, /^HTTP\/1.1 401 Unauthorized[^]*connection: close[^]*no$/);
  });
});

test.each(['--http2', '--http1.1'])('curl %s reads the 413 to its large body', requires('curl'), async (version) => {
  await using server = await startReading();
  const running = promisify(execFile)('curl', ['-sk', version, '--data-binary', '@-', server.transport.url]);
  running.child.stdin?.on('error', () => undefined).end(big);
  const { stdout } = await running;
  assert.deepEqual(JSON.parse(stdout), TOO_LARGE);
});

test('the body can be read more than once', async () => {
  await using server = await startTransport(
    async (call) => text(`${(await call.request.body(10)).length} ${(await call.request.body(10)).length}`),
    { log: discardLogger },
  );
  assert.equal((await server.getHttp2({ method: 'POST', body: 'abc' })).body.toString(), '3 3');
});

describe('a body in chunks of one byte', () => {
  const BYTES = 256 * 1024;

  test('takes at most twice its size', () => {
    const gathered = new BodyBuffer(LIMIT);
    const socketRead = Buffer.alloc(65_536, 'x');
    let most = 0;
    for (let at = 0; at < BYTES; at++) {
      assert.ok(gathered.add(socketRead.subarray(at % 65_536, (at % 65_536) + 1)));
      if (gathered.room > 65_536) most = Math.max(most, gathered.room / gathered.bytes.length);
    }
    assert.ok(most <= 2.01, `${most} times its size`);
    assert.equal(gathered.bytes.length, BYTES);
    assert.ok(Buffer.from(gathered.bytes).equals(Buffer.alloc(BYTES, 'x')));
  });

  test('never takes more memory than the limit', () => {
    const gathered = new BodyBuffer(10_000);
    for (let at = 0; at < 10_000; at++) assert.ok(gathered.add(Buffer.from('x')));
    assert.equal(gathered.add(Buffer.from('x')), false);
    assert.ok(gathered.room <= 10_000);
  });

  const HEAD = 'POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n';

  test('is read over HTTP/1.1', async () => {
    await using server = await startReading();
    const socket = await server.raw();
    socket.write(`${HEAD}${'1\r\nx\r\n'.repeat(10_000)}0\r\n\r\n`);
    assert.match(await restOf(socket), /\r\n\r\n10000$/);
  });

  test.each([
    ['read', startReading],
    ['not read', () => startTransport(() => text('no'))],
  ])('that goes on and on costs the connection, when it is %s', async (_name, start) => {
    await using server = await start();
    const socket = await server.raw();
    const rest = restOf(socket);
    socket.write(`${HEAD}${'1\r\nx\r\n'.repeat(17_000)}`);
    assert.doesNotMatch(await rest, /17000/);
    assert.equal(server.observed.answers.length, 1);
  });
});
