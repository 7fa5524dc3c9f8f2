import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { ClientHttp2Stream } from 'node:http2';
import { request as httpsRequest } from 'node:https';
import type { Duplex, Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import { RealClock } from '../../base/index.ts';
import { HttpClient } from '../../wire/http/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import { newEncoder } from '../answers/testing/answer-fixture.ts';
import type { Call } from '../request/call.ts';
import type { SentAnswer } from '../request/request-record.ts';
import { assertUnharmed, authority, startTransport, type TestTransport, text, turn } from './testing/test-transport.ts';

/** Many times what may be in memory. */
const TOTAL = 64 * 1024 * 1024;
/** More than an unread body may send. */
const UNREAD = 40 * 1024 * 1024;
/** On a busy machine, real time must not end what these tests do. */
const limits = { requestTimeoutMs: 3_600_000, stallTimeoutMs: 3_600_000 };
const PIECE = Buffer.alloc(256 * 1024, 'k');
let server: TestTransport;

afterEach(() => assertUnharmed(server));

async function start(answer: (call: Call) => EncodedAnswer | Promise<EncodedAnswer>): Promise<void> {
  server = await startTransport((call) => (call.request.path === '/alive' ? text(call.request.path) : answer(call)), {
    limits,
  });
}

/** A POST in progress: its request body, and its answer once the head has arrived. */
interface Posting {
  readonly body: Writable;
  readonly answer: Promise<Readable>;
  cut(): void;
}

function post(protocol: string): Posting {
  if (protocol === 'h2') {
    const stream: ClientHttp2Stream = server.http2().request({ ':method': 'POST', ':path': '/through' });
    stream.on('error', () => undefined);
    return { body: stream, answer: once(stream, 'response').then(() => stream), cut: () => stream.destroy() };
  }
  const { port } = server;
  const options = { method: 'POST', path: '/through', port, host: '127.0.0.1', servername: 'localhost', agent: false };
  const sent = httpsRequest({ ...options, ca: authority.certificate });
  sent.on('error', () => undefined);
  sent.flushHeaders();
  const answer = once(sent, 'response').then(([response]) => response as Readable);
  return { body: sent, answer, cut: () => sent.destroy() };
}

async function sendAll(output: Writable, total: number, sent: (bytes: number) => void): Promise<void> {
  for (let left = total; left > 0; left -= PIECE.length) {
    sent(PIECE.length);
    if (!output.write(PIECE)) await once(output, 'drain');
  }
  output.end();
}

describe.each(['http/1.1', 'h2'])('over %s', (protocol) => {
  test('a large body is echoed without being buffered', async () => {
    const encoder = newEncoder();
    await start((call) =>
      encoder.encode({ type: 'stream', code: 200, headers: { 'x-of': 'logs' }, body: call.request.bodyStream() }, call),
    );
    const { body, answer } = post(protocol);
    let underWay = 0;
    let most = 0;
    const sending = sendAll(body, TOTAL, (bytes) => {
      underWay += bytes;
      most = Math.max(most, underWay);
    });
    let received = 0;
    for await (const chunk of await answer) {
      received += (chunk as Buffer).length;
      underWay -= (chunk as Buffer).length;
    }
    await sending;
    expect(received).toBe(TOTAL);
    expect(most).toBeLessThan(32 * 1024 * 1024); // sockets' buffers, and windows of 4 MiB
  });

  test('an unread body makes its client wait', async () => {
    let read!: () => void;
    const mayRead = new Promise<void>((resolve) => (read = resolve));
    await start(async (call) => {
      let bytes = 0;
      const body = call.request.bodyStream();
      await mayRead;
      for await (const chunk of body) bytes += chunk.length;
      return text(String(bytes));
    });
    const { body, answer } = post(protocol);
    let sent = 0;
    const sending = sendAll(body, UNREAD, (bytes) => (sent += bytes));
    for (let count = 0; count < 200; count++) await turn();
    expect(sent).toBeLessThan(32 * 1024 * 1024);
    read();
    const chunks: Buffer[] = [];
    for await (const chunk of await answer) chunks.push(chunk as Buffer);
    await sending;
    expect(Buffer.concat(chunks).toString()).toBe(String(UNREAD));
  });

  test('a client that aborts its body fails the stream and finishes the call', async () => {
    let failure: unknown;
    let finished: Promise<SentAnswer> | undefined;
    let begun!: () => void;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    await start(async (call) => {
      finished = call.record.finished;
      try {
        for await (const _chunk of call.request.bodyStream()) begun();
      } catch (error) {
        failure = error;
      }
      return text('never read');
    });
    const { body, answer, cut } = post(protocol);
    answer.catch(() => undefined);
    body.write('half');
    await hasBegun;
    cut();
    await server.observed.until(() => server.observed.answers.length === 1);
    expect(await finished).toMatchObject({ outcome: 'cut' });
    while (failure === undefined) await turn();
    expect(failure).toMatchObject({ code: 400, message: 'unexpected EOF' });
  });

  test('a client that leaves in the middle of a streamed answer ends its source', async () => {
    let isLeft = false;
    async function* lines(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          yield PIECE;
          await turn();
        }
      } finally {
        isLeft = true;
      }
    }
    const encoder = newEncoder();
    let finished: Promise<SentAnswer> | undefined;
    await start((call) => {
      finished = call.record.finished;
      return encoder.encode({ type: 'stream', code: 200, headers: {}, body: lines() }, call);
    });
    const { body, answer, cut } = post(protocol);
    body.end();
    const received = await answer;
    await once(received, 'data');
    cut();
    const { outcome, bytes, code } = (await finished) as SentAnswer;
    expect({ outcome, code, isSome: bytes > 0 }).toEqual({ outcome: 'cut', code: 200, isSome: true });
    while (!isLeft) await turn();
  });

  test('an answer may begin while the body is still arriving, and the body is closed when the answer ends first', async () => {
    const encoder = newEncoder();
    await start((call) => {
      async function* first(): AsyncGenerator<Uint8Array> {
        for await (const chunk of call.request.bodyStream()) {
          yield chunk;
          return;
        }
      }
      return encoder.encode({ type: 'stream', code: 200, headers: {}, body: first() }, call);
    });
    const { body, answer } = post(protocol);
    body.write('one');
    const received = await answer;
    const chunks: Buffer[] = [];
    for await (const chunk of received) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe('one');
    (body as Duplex).destroy();
    await server.observed.until(() => server.observed.answers.length === 1);
    expect(server.observed.answers[0]).toMatchObject({ code: 200, outcome: 'complete' });
  });
});

test('a body is read whole or streamed, not both, and not after the answer', async () => {
  const failures: string[] = [];
  let late: Call | undefined;
  const attempt = (act: () => unknown): void => {
    try {
      act();
    } catch (error) {
      failures.push((error as Error).message);
    }
  };
  await start(async (call) => {
    if (call.request.method === 'GET') late = call;
    if (call.request.method === 'PUT') {
      for await (const _chunk of call.request.bodyStream()) continue;
      attempt(() => call.request.body(100));
    } else if (call.request.method === 'POST') {
      await call.request.body(100);
      attempt(() => call.request.bodyStream());
    }
    return text('done');
  });
  await server.getHttp2({ method: 'PUT', path: '/a', body: 'x' });
  await server.getHttp1({ method: 'POST', path: '/b', body: 'x' });
  await server.getHttp1({ path: '/c' });
  await server.observed.until(() => server.observed.answers.length === 3);
  attempt(() => late?.request.bodyStream());
  expect(failures).toEqual([
    'Cannot read the body whole: it is being streamed',
    'Cannot stream the body: it is read already',
    'Cannot stream the body: the request is over',
  ]);
});

test('hop-by-hop headers are not forwarded, the date of the source is', async () => {
  const encoder = newEncoder();
  const headers = { connection: 'keep-alive', 'transfer-encoding': 'chunked', date: 'then', 'x-two': ['a', 'b'] };
  await start((call) => encoder.encode({ type: 'stream', code: 502, headers, body: only('body') }, call));
  for (const received of [await server.getHttp2(), await server.getHttp1()]) {
    expect(received.code).toBe(502);
    expect(received.body.toString()).toBe('body');
    expect(received.headers).toMatchObject({ date: 'then', 'x-two': 'a, b', 'cache-control': 'no-cache, private' });
  }
});

test('the audit ID is the client’s, or a new one, and the call has it', async () => {
  await start((call) => text(call.record.auditId));
  const sent = await server.getHttp2({ headers: { 'audit-id': 'mine' } });
  const made = await server.getHttp1();
  expect([sent.headers['audit-id'], sent.body.toString()]).toEqual(['mine', 'mine']);
  expect(made.headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  expect(made.body.toString()).toBe(made.headers['audit-id']);
});

test('our own client streams a body, and abandons an answer that it does not need', async () => {
  await start(async (call) => {
    let bytes = 0;
    for await (const chunk of call.request.bodyStream()) bytes += chunk.length;
    return text(String(bytes));
  });
  const target = { server: new URL(server.transport.url), serverName: 'localhost' };
  const client = new HttpClient({ target, authorities: async () => authority.certificate, clock: new RealClock() });
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 100; count++) yield PIECE;
  }
  const signal = AbortSignal.timeout(120_000);
  const answer = await client.request({ method: 'PUT', path: '/up', headers: {}, body: body(), signal });
  let received = '';
  for await (const chunk of answer.chunks) received += Buffer.from(chunk).toString();
  expect(received).toBe(String(100 * PIECE.length));
  client.destroy();
});

async function* only(body: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(body);
}
