import { once } from 'node:events';
import { constants } from 'node:http2';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { StatusName } from './grpc-error.ts';
import { bytes, echo, failureOf, open, signal, text } from './testing/channel-fixture.ts';
import { GrpcServer, type Handlers, type ServedCall } from './testing/grpc-server.ts';
import { TestProxy } from '../testing/test-proxy.ts';

/** An endpoint that refuses connections. */
async function deadEndpoint(): Promise<string> {
  await using server = await GrpcServer.start({});
  return server.address;
}

test('a unary call gets the answer, and the server its metadata and time limit', async () => {
  let seen: Readonly<Record<string, string>> = {};
  await using server = await GrpcServer.start({
    '/s/Echo': (call) => {
      seen = call.headers;
      return echo(call);
    },
  });
  await using channel = open(server.address);

  const metadata = { token: 'abc', 'raw-bin': bytes('\u0000\u0001') };
  const answer = await channel.unary('/s/Echo', bytes('hello'), { metadata, timeoutMs: 5000 });

  expect(text(answer)).toBe('hello');
  expect(seen).toMatchObject({
    ':method': 'POST',
    'content-type': 'application/grpc',
    te: 'trailers',
    token: 'abc',
    'raw-bin': 'AAE=',
  });
  expect(seen['grpc-timeout']).toMatch(/^\d{4}m$/);
});

test('calls run concurrently on one connection', async () => {
  await using server = await GrpcServer.start({ '/s/Echo': echo });
  await using channel = open(server.address);

  const answers = await Promise.all(
    Array.from({ length: 200 }, (_item, index) => channel.unary('/s/Echo', bytes(`call ${index}`))),
  );

  expect(answers.map(text)).toEqual(Array.from({ length: 200 }, (_item, index) => `call ${index}`));
  expect(server.connections).toBe(1);
});

test.each<[string, Handlers[string], StatusName, RegExp]>([
  [
    'trailers after a message',
    (call) => {
      call.send(bytes('half'));
      call.finish({ 'grpc-status': '9', 'grpc-message': 'not%20now%3A %E2%82%AC', 'why-bin': 'AAE=' });
    },
    'FAILED_PRECONDITION',
    /^not now: €$/,
  ],
  ['headers alone', (call) => call.finish({ 'grpc-status': '5', 'grpc-message': 'gone' }), 'NOT_FOUND', /^gone$/],
  ['a status without a message', (call) => call.finish({ 'grpc-status': '16' }), 'UNAUTHENTICATED', /UNAUTHENTICATED/],
  ['a number that is no status', (call) => call.finish({ 'grpc-status': '99' }), 'UNKNOWN', /UNKNOWN/],
  ['no answer at all', (call) => call.finish({ 'grpc-status': '0' }), 'INTERNAL', /without a complete answer/],
  [
    'two answers',
    (call) => {
      call.send(bytes('1'));
      call.send(bytes('2'));
      call.finish({ 'grpc-status': '0' });
    },
    'INTERNAL',
    /more than once/,
  ],
  ['a reset stream', (call) => call.stream.close(constants.NGHTTP2_INTERNAL_ERROR), 'INTERNAL', /HTTP\/2 error 2/],
  ['a refused stream', (call) => call.stream.close(constants.NGHTTP2_REFUSED_STREAM), 'UNAVAILABLE', /refused/],
  [
    'an HTTP error',
    (call) => call.stream.respond({ ':status': 503, 'content-type': 'text/html' }, { endStream: true }),
    'UNAVAILABLE',
    /HTTP status 503/,
  ],
  [
    'a web page',
    (call) => {
      call.stream.respond({ ':status': 200, 'content-type': 'text/html' });
      call.stream.end('<html>');
    },
    'UNKNOWN',
    /text\/html/,
  ],
  [
    'a compressed message',
    (call) => {
      call.stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      call.stream.end(Buffer.from([1, 0, 0, 0, 1, 7]));
    },
    'INTERNAL',
    /compressed/,
  ],
])('a call that ends with %s fails as expected', async (_name, handler, code, message) => {
  await using server = await GrpcServer.start({ '/s/Fail': handler });
  await using channel = open(server.address);

  const error = await failureOf(channel.unary('/s/Fail', bytes('x')));

  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
  expect(error.isUnsent).toBe(/refused/.test(error.message));
});

test('the metadata that a server sends with its status can be read', async () => {
  await using server = await GrpcServer.start({
    '/s/Fail': (call) => call.finish({ 'grpc-status': '3', detail: 'x', 'more-bin': 'AAE=' }),
  });
  await using channel = open(server.address);

  const { metadata } = await failureOf(channel.unary('/s/Fail', bytes('x')));

  expect(metadata).toEqual({ detail: 'x', 'more-bin': Buffer.from([0, 1]) });
});

test('a method that the server does not have is UNIMPLEMENTED', async () => {
  await using server = await GrpcServer.start({});
  await using channel = open(server.address);

  expect((await failureOf(channel.unary('/s/None', bytes('x')))).code).toBe('UNIMPLEMENTED');
});

test('a message above the limit is rejected, one of exactly the limit is not', async () => {
  await using server = await GrpcServer.start({ '/s/Echo': echo });
  await using channel = open(server.address, { maxReceiveBytes: 100_000 });

  expect(await channel.unary('/s/Echo', new Uint8Array(100_000))).toHaveLength(100_000);
  const error = await failureOf(channel.unary('/s/Echo', new Uint8Array(100_001)));
  expect(error.code).toBe('RESOURCE_EXHAUSTED');
  expect(text(await channel.unary('/s/Echo', bytes('still fine')))).toBe('still fine');
});

test('a call that takes too long is cancelled with DEADLINE_EXCEEDED', async () => {
  const clock = new VirtualClock();
  const arrived = signal<ServedCall>();
  await using server = await GrpcServer.start({ '/s/Hang': (call) => arrived.resolve(call) });
  await using channel = open(server.address, { clock });
  const failed = failureOf(channel.unary('/s/Hang', bytes('x'), { timeoutMs: 2000 }));
  const { stream } = await arrived.promise;
  const closed = once(stream, 'close');

  await clock.advance(2000);

  expect((await failed).code).toBe('DEADLINE_EXCEEDED');
  await closed;
  expect(stream.rstCode).toBe(constants.NGHTTP2_CANCEL);
});

test('aborting cancels a call, which fails with the signal’s reason', async () => {
  await using server = await GrpcServer.start({ '/s/Hang': () => undefined });
  await using channel = open(server.address);
  const stop = new AbortController();
  const call = channel.unary('/s/Hang', bytes('x'), { signal: stop.signal });

  stop.abort(new Error('enough'));

  await expect(call).rejects.toThrow('enough');
  await expect(channel.unary('/s/Hang', bytes('x'), { signal: stop.signal })).rejects.toThrow('enough');
});

test('a call in flight when its connection is cut may have been received; the next one connects again', async () => {
  await using server = await GrpcServer.start({ '/s/Echo': echo, '/s/Cut': () => server.cut() });
  await using channel = open(server.address);

  const error = await failureOf(channel.unary('/s/Cut', bytes('x')));

  expect(error.code).toBe('UNAVAILABLE');
  expect(error.isUnsent).toBe(false);
  expect(text(await channel.unary('/s/Echo', bytes('again')))).toBe('again');
});

test('a server that sends GOAWAY gets no new calls, and those in flight finish', async () => {
  await using server = await GrpcServer.start({
    '/s/Last': (call) => {
      server.goAway();
      return echo(call);
    },
  });
  await using channel = open(server.address);
  const connection = await channel.connection();

  expect(text(await connection.unary('/s/Last', bytes('last')))).toBe('last');
  await connection.closed;
  expect(connection.isUsable).toBe(false);
  expect((await channel.connection()).isUsable).toBe(true);
});

test('an endpoint that refuses connections is skipped, and one marked as unusable is avoided', async () => {
  const name = (value: string): Handlers => ({
    '/s/Name': (call) => {
      call.send(bytes(value));
      call.finish({ 'grpc-status': '0' });
    },
  });
  await using first = await GrpcServer.start(name('first'));
  await using second = await GrpcServer.start(name('second'));
  await using channel = open([await deadEndpoint(), first.address, await deadEndpoint(), second.address]);

  const before = text(await channel.unary('/s/Name', bytes('')));
  channel.avoid(await channel.connection());
  const after = text(await channel.unary('/s/Name', bytes('')));

  expect([before, after].sort()).toEqual(['first', 'second']);
});

test('when no endpoint can be reached the call fails within its timeout, with the reason, and counts as not sent', async () => {
  await using channel = open([await deadEndpoint(), await deadEndpoint()], { backoff: { initialMs: 1, capMs: 5 } });

  const error = await failureOf(channel.unary('/s/Echo', bytes('x'), { timeoutMs: 50 }));

  expect(error.code).toBe('UNAVAILABLE');
  expect(error.isUnsent).toBe(true);
  expect(error.message).toMatch(/ECONNREFUSED/);
});

test('a server that does not answer a ping counts as lost', async () => {
  const clock = new VirtualClock();
  const arrived = signal<ServedCall>();
  await using server = await GrpcServer.start({ '/s/Hang': (call) => arrived.resolve(call) });
  await using proxy = await TestProxy.start(server.address);
  await using channel = open(proxy.address, { clock, keepaliveMs: 1000, keepaliveTimeoutMs: 500 });
  const connection = await channel.connection();
  const hanging = failureOf(connection.unary('/s/Hang', bytes('x')));
  await arrived.promise;

  proxy.stall();
  await clock.advance(1500);

  const error = await hanging;
  expect(error.code).toBe('UNAVAILABLE');
  expect(error.message).toMatch(/did not answer a ping/);
  expect(connection.isUsable).toBe(false);
});

test('connects to a unix socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-grpc-'));
  try {
    await using server = await GrpcServer.start({ '/s/Echo': echo }, join(folder, 'server.sock'));
    await using channel = open(server.address);

    expect(text(await channel.unary('/s/Echo', bytes('local')))).toBe('local');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a closed channel rejects new calls and ends those in flight', async () => {
  await using server = await GrpcServer.start({ '/s/Hang': () => undefined, '/s/Echo': echo });
  const clock = new VirtualClock();
  const channel = open(server.address, { clock });
  const hanging = failureOf(channel.unary('/s/Hang', bytes('x')));
  await channel.unary('/s/Echo', bytes('x'));

  const closing = channel[Symbol.asyncDispose]();
  await clock.advance(1000);
  await closing;

  expect((await hanging).code).toBe('UNAVAILABLE');
  expect(await failureOf(channel.unary('/s/Echo', bytes('x')))).toMatchObject({ code: 'UNAVAILABLE', isUnsent: true });
});

test('a server that answers before it has read the request does not hang the call', async () => {
  await using server = await GrpcServer.start({
    '/s/Refuse': (call) => {
      call.finish({ 'grpc-status': '8', 'grpc-message': 'too much' });
      call.stream.close(constants.NGHTTP2_NO_ERROR);
    },
    '/s/Echo': echo,
  });
  await using channel = open(server.address);

  const error = await failureOf(channel.unary('/s/Refuse', new Uint8Array(4_000_000)));

  // Node may lose the answer when a reset follows it closely
  expect(['RESOURCE_EXHAUSTED', 'UNAVAILABLE']).toContain(error.code);
  expect(text(await channel.unary('/s/Echo', bytes('next')))).toBe('next');
});
