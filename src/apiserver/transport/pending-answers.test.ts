import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { once } from 'node:events';
import type { ClientHttp2Session } from 'node:http2';
import { afterEach, test } from 'vitest';
import { RealClock, VirtualClock } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import { assertUnharmed, open, over, startTransport, text, turn } from './test-transport.ts';
import type { TestOptions, TestTransport } from './test-transport.ts';

const MB = 1024 * 1024;
const LIMITS = { maxPendingBytesOfConnection: MB, maxPendingBytes: 5 * MB };

let server: TestTransport;
let begun = 0;

/** Serves lists of 4 MB at every path but `/alive`. */
async function start(options: TestOptions = {}): Promise<void> {
  begun = 0;
  const list: EncodedAnswer = {
    code: 200,
    headers: { 'content-type': 'application/json' },
    body: Array.from({ length: 64 }, () => Buffer.alloc(64 * 1024, 'x')),
  };
  server = await startTransport(
    (call) => {
      if (call.path === '/alive') return text(call.path);
      begun += 1;
      return list;
    },
    { limits: LIMITS, ...options },
  );
}

afterEach(() => assertUnharmed(server));

/** Asks for a list and takes nothing of it. */
async function stall(session: ClientHttp2Session): Promise<void> {
  const stream = open(session, { path: '/api/v1/pods' });
  stream.on('error', () => undefined);
  await once(stream, 'response');
}

function lazyClient(): ClientHttp2Session {
  return server.http2(undefined, { settings: { initialWindowSize: 1 } });
}

test('who does not read gets no more until it does, and others are served', async () => {
  await start();
  const lazy = lazyClient();
  await stall(lazy);
  for (let index = 0; index < 20; index++) open(lazy, { path: '/api/v1/pods' }).on('error', () => undefined);
  await over(server.http2(), { path: '/alive' });
  for (let index = 0; index < 20; index++) await turn();
  assert.equal(begun, 1);
  lazy.destroy();
  await server.observed.until(() => server.observed.answers.length === 22);
  assert.ok(begun <= 3, `${begun} lists put together`); // for a client that is about to be gone
});

test('who reads gets all that it asks for', async () => {
  await start();
  const session = server.http2();
  const lists = await Promise.all(Array.from({ length: 10 }, () => over(session, { path: '/api/v1/pods' })));
  assert.deepEqual(
    lists.map(({ code, body }) => [code, body.length]),
    lists.map(() => [200, 4 * MB]),
  );
});

test('when too much waits in all, what was not read for longest is dropped', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  await start({ clock });
  await stall(lazyClient());
  await clock.advance('1s');
  assert.deepEqual(server.observed.events, []); // one fits
  await stall(lazyClient());
  while (begun < 2) await turn();
  await clock.advance('1s');
  await server.observed.until(() => server.observed.answers.length === 1);
  assert.deepEqual(server.observed.events, ['stalled']);
  await clock.advance('10s'); // the other one fits again
  assert.deepEqual(server.observed.events, ['stalled']);
});

test('when far too much waits in all, lists are refused with 429', async () => {
  const clock = new VirtualClock({ startMs: new RealClock().now() });
  await start({ clock });
  for (let index = 0; index < 3; index++) await stall(lazyClient());
  const refused = await over(server.http2(), { path: '/api/v1/pods' });
  assert.equal(refused.code, 429);
  assert.equal((await over(server.http2(), { path: '/api/v1/namespaces/a' })).code, 200);
  await clock.advance('3s');
  await server.observed.until(() => server.observed.events.length >= 2);
  assert.equal((await over(server.http2(), { path: '/api/v1/pods' })).code, 200);
});
