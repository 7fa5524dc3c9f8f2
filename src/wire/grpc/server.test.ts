import { once } from 'node:events';
import { connect } from 'node:http2';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LineLogger, RealClock } from '../../base/index.ts';
import { MessageTable, text } from '../protobuf/index.ts';
import { GrpcError } from './grpc-error.ts';
import { type Method, type ServedMethod, streamMethod, unaryMethod } from './method.ts';
import { GrpcServer, type GrpcServerLimits } from './server.ts';
import type { ServerCall } from './server-call.ts';
import { bytes, failureOf, open, signal } from './testing/channel-fixture.ts';

const word = new MessageTable({ word: text(1) });
type Word = { readonly word?: string };
const method = (name: string): Method<Word, Word> => ({ path: `/test.Words/${name}`, request: word, response: word });

const log: string[] = [];

function serve(methods: readonly ServedMethod[], limits?: Partial<GrpcServerLimits>): Promise<GrpcServer> {
  const clock = new RealClock();
  const logger = new LineLogger({ clock, level: 'warn', write: (line) => void log.push(line) });
  return GrpcServer.listen({ address: '127.0.0.1:0', methods, clock, log: logger, limits });
}

const shout = unaryMethod(method('Shout'), async ({ word: sent = '' }) => ({ word: sent.toUpperCase() }));

test('a unary method is called over TCP and over a unix socket', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-grpc-'));
  const clock = new RealClock();
  await using tcp = await serve([shout]);
  await using unix = await GrpcServer.listen({ address: `unix:${folder}/s.sock`, methods: [shout], clock });

  for (const server of [tcp, unix]) {
    await using channel = open(server.address);
    expect(await channel.call(method('Shout'), { word: 'hé' })).toEqual({ word: 'HÉ' });
    expect(await channel.call(method('Shout'), {})).toEqual({ word: '' });
  }
  rmSync(folder, { recursive: true });
});

test('a server that cannot listen says where, and whether a folder is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-grpc-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const listen = (path: string) => GrpcServer.listen({ address: `unix:${path}`, methods: [], clock: new RealClock() });
  await expect(listen(join(folder, 'none', 'x.sock'))).rejects.toThrow(
    `Cannot listen at "unix:${folder}/none/x.sock": there is no folder "${folder}/none"`,
  );
  await using _server = await listen(join(folder, 'x.sock'));
  await expect(listen(join(folder, 'x.sock'))).rejects.toThrow(/^Cannot listen at "unix:.*EADDRINUSE/);
});

test('messages stream from the client, from the server, and both ways at once', async () => {
  const join_ = streamMethod(method('Join'), async function* (words) {
    const all: string[] = [];
    for await (const { word: next = '' } of words) all.push(next);
    yield { word: all.join(' ') };
  });
  const split = streamMethod(method('Split'), async function* (words) {
    for await (const { word: all = '' } of words) for (const part of all.split(' ')) yield { word: part };
  });
  await using server = await serve([join_, split]);
  await using channel = open(server.address);

  const joining = await channel.duplex('/test.Words/Join');
  for (const part of ['a', 'b', 'c']) await joining.send(word.encode({ word: part }));
  joining.end();
  expect(await all(joining)).toEqual(['a b c']);

  const splitting = await channel.duplex('/test.Words/Split');
  const parts = splitting[Symbol.asyncIterator]();
  await splitting.send(word.encode({ word: 'x y' }));
  expect(word.decode((await parts.next()).value ?? bytes(''))).toEqual({ word: 'x' });
  expect(word.decode((await parts.next()).value ?? bytes(''))).toEqual({ word: 'y' });
  await splitting.send(word.encode({ word: 'z' }));
  expect(word.decode((await parts.next()).value ?? bytes(''))).toEqual({ word: 'z' });
  splitting.end();
  expect((await parts.next()).done).toBe(true);
});

test('a sender waits for a slow reader', async () => {
  let sent = 0;
  const flood = streamMethod(method('Flood'), async function* () {
    for (; sent < 200; sent++) yield { word: 'x'.repeat(100_000) };
  });
  await using server = await serve([flood]);
  await using channel = open(server.address);

  const call = await channel.duplex('/test.Words/Flood');
  call.end();
  const answers = call[Symbol.asyncIterator]();
  await answers.next();
  const turns = 50;
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => void setImmediate(resolve));
  expect(sent).toBeLessThan(100);

  let received = 1;
  while ((await answers.next()).done !== true) received += 1;
  expect(received).toBe(200);
});

test('failures keep code, message and metadata; other errors are logged and hidden', async () => {
  await using server = await serve([
    unaryMethod(method('Refuse'), async () => {
      throw new GrpcError('NOT_FOUND', 'kein Schlüssel, 100%', { metadata: { 'x-why': 'gone' } });
    }),
    unaryMethod(method('Break'), async () => {
      throw new Error('secret');
    }),
  ]);
  await using channel = open(server.address);

  expect(await failureOf(channel.call(method('Refuse'), {}))).toMatchObject({
    code: 'NOT_FOUND',
    message: 'kein Schlüssel, 100%',
    metadata: { 'x-why': 'gone' },
  });
  expect(await failureOf(channel.call(method('Break'), {}))).toMatchObject({
    code: 'UNKNOWN',
    message: 'The method failed',
  });
  expect(log.join('\n')).toContain('secret');
  expect(await failureOf(channel.call(method('Other'), {}))).toMatchObject({ code: 'UNIMPLEMENTED' });
});

test('the handler sees a deadline and a cancelling client, and gets metadata', async () => {
  const seen = signal<ServerCall>();
  const wait = (): ServedMethod =>
    unaryMethod(method('Wait'), async (_message, call) => {
      seen.resolve(call);
      await once(call.signal, 'abort');
      throw call.signal.reason as Error;
    });
  await using server = await serve([wait()]);
  await using channel = open(server.address);

  await failureOf(channel.call(method('Unknown'), {})); // connects: the deadline is about the call alone
  const late = await failureOf(
    channel.call(method('Wait'), {}, { timeoutMs: 300, metadata: { who: 'me', 'a-bin': bytes('b') } }),
  );
  expect(late.code).toBe('DEADLINE_EXCEEDED');
  const call = await seen.promise;
  if (!call.signal.aborted) await once(call.signal, 'abort');
  expect(call.metadata).toMatchObject({ who: 'me', 'a-bin': bytes('b') });

  const stop = new AbortController();
  const again = signal<ServerCall>();
  await using second = await serve([
    unaryMethod(method('Wait'), async (_message, served) => {
      again.resolve(served);
      await once(served.signal, 'abort');
      throw served.signal.reason as Error;
    }),
  ]);
  await using other = open(second.address);
  const calling = other.call(method('Wait'), {}, { signal: stop.signal });
  const served = await again.promise;
  stop.abort(new Error('enough'));
  await expect(calling).rejects.toThrow('enough');
  if (!served.signal.aborted) await once(served.signal, 'abort');
  expect(served.signal.reason).toMatchObject({ code: 'CANCELLED' });
});

test('messages, headers and encodings beyond the limits are rejected, and the server stays up', async () => {
  await using server = await serve([shout], { maxReceiveBytes: 100, maxHeaderBytes: 2000 });
  await using channel = open(server.address);

  expect(await failureOf(channel.call(method('Shout'), { word: 'x'.repeat(200) }))).toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
  });
  const metadata = { long: 'x'.repeat(3000) };
  expect(await failureOf(channel.call(method('Shout'), {}, { metadata }))).toBeInstanceOf(GrpcError);
  const packed = { 'grpc-encoding': 'gzip' };
  expect(await failureOf(channel.call(method('Shout'), {}, { metadata: packed }))).toMatchObject({
    code: 'UNIMPLEMENTED',
    metadata: {},
  });
  expect(await channel.call(method('Shout'), { word: 'a' })).toEqual({ word: 'A' });
  expect(await statusOf(server.address, { ':method': 'GET', ':path': '/test.Words/Shout' })).toBe(405);
  expect(await statusOf(server.address, { ':method': 'POST', ':path': '/test.Words/Shout' })).toBe(415);
});

test('a server that stops lets calls finish and accepts no more', async () => {
  const begun = signal<void>();
  const go = signal<void>();
  const server = await serve([
    unaryMethod(method('Slow'), async () => {
      begun.resolve();
      await go.promise;
      return { word: 'done' };
    }),
  ]);
  await using channel = open(server.address);
  const calling = channel.call(method('Slow'), {});
  await begun.promise;

  const stopped = server[Symbol.asyncDispose]();
  go.resolve();

  expect(await calling).toEqual({ word: 'done' });
  await stopped;
  expect((await failureOf(channel.call(method('Slow'), {}, { timeoutMs: 200 }))).code).toBe('UNAVAILABLE');
});

async function all(messages: AsyncIterable<Uint8Array>): Promise<(string | undefined)[]> {
  const words: (string | undefined)[] = [];
  for await (const message of messages) words.push(word.decode(message).word);
  return words;
}

async function statusOf(address: string, headers: Record<string, string>): Promise<number | undefined> {
  const session = connect(address);
  const stream = session.request(headers, { endStream: true });
  const [answer] = (await once(stream, 'response')) as [Record<string, number>];
  session.destroy();
  return answer[':status'];
}
