import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import type { Call } from '../request/call.ts';
import { Connection } from './connection.ts';
import { type PendingAnswer, PendingAnswers, answersToDrop } from './pending-answers.ts';
import { assertUnharmed, open, startTransport, text } from './testing/test-transport.ts';

const clock = new VirtualClock();
const limits = { maxPendingBytesPerConnection: 100, maxPendingBytesPerUser: 150, maxPendingBytes: 200 };

function connection(): Connection {
  return new Connection('h2', { remoteAddress: '127.0.0.1', certificate: { type: 'none' } }, clock);
}

interface Answered {
  readonly on: Connection;
  readonly payer: string;
  readonly bytes: number;
  readonly since?: number;
}

function answer({ on, payer, bytes, since = 0 }: Answered): PendingAnswer {
  on.pendingBytes += bytes;
  return { connection: on, payer, pendingBytes: bytes, waitsSinceMs: since, drop: () => undefined };
}

describe('of unread answers', () => {
  test('a connection over its limit loses those that wait longest', () => {
    const full = connection();
    const answers = [3, 1, 2].map((since) => answer({ on: full, payer: 'ann', bytes: 40, since }));
    const other = answer({ on: connection(), payer: 'ann', bytes: 10 });

    expect(answersToDrop([...answers, other], limits)).toEqual([answers[1]]);
  });

  test('a user over the limit loses those of the connection with the most bytes', () => {
    const answers = [60, 70, 50].map((bytes) => answer({ on: connection(), payer: 'ann', bytes }));
    const other = answer({ on: connection(), payer: 'bob', bytes: 10 });

    expect(answersToDrop([...answers, other], limits)).toEqual([answers[1]]);
  });

  test('the users with the most bytes lose theirs when the total is too large', () => {
    const sizes = [60, 70, 90, 100];
    const answers = sizes.map((bytes) => answer({ on: connection(), payer: `of ${bytes}`, bytes }));

    expect(answersToDrop(answers, limits).map(({ payer }) => payer)).toEqual(['of 100', 'of 90']);
  });

  test('none is dropped within the limits', () => {
    const answers = [30, 60, 90].map((bytes) => answer({ on: connection(), payer: 'of all', bytes: bytes / 2 }));

    expect(answersToDrop(answers, limits)).toEqual([]);
  });

  test('they are checked only when a limit is exceeded', async () => {
    let looks = 0;
    const pending = new PendingAnswers(clock, limits, () => {
      looks += 1;
      return [];
    });
    const one = connection();
    pending.count(one, 100);
    await clock.advance('1s');
    expect(looks).toBe(0);

    for (let more = 0; more < 5; more++) pending.count(one, 1);
    await clock.advance('1s');
    expect(looks).toBe(1);
    expect(pending.bytes).toBe(105);
  });
});

test('a client that reads none of its answers loses them, and then its connection; others continue', async () => {
  const large = 'x'.repeat(50_000);
  await using server = await startTransport(({ request: { path } }) => text(path === '/large' ? large : path), {
    limits: { maxPendingBytesPerConnection: 200_000, maxStreams: 10 },
  });
  const session = server.http2(undefined, { settings: { initialWindowSize: 1 } });
  await once(session, 'connect');
  let cut = 0;
  const ask = (): void => {
    if (session.destroyed || session.closed) return;
    const stream = open(session, { path: '/large' });
    stream
      .on('error', () => undefined)
      .on('close', () => {
        cut += 1;
        ask();
      });
  };
  for (let asked = 0; asked < 10; asked++) ask();
  await new Promise((resolve) => session.once('close', resolve));

  assert.ok(cut >= 10, `${cut} answers cut`);
  await assertUnharmed(server);
});

test('unread answers do not count as requests in progress', async () => {
  const time = new VirtualClock();
  let served = 0;
  const respond = (call: Call): EncodedAnswer => {
    call.record.onServed(() => (served += 1));
    return text('x'.repeat(10_000));
  };
  await using server = await startTransport(respond, { clock: time, limits: { maxStreams: 60 } });
  const session = server.http2(undefined, { settings: { initialWindowSize: 1 } });
  await once(session, 'connect');
  const streams = Array.from({ length: 60 }, () => open(session, { path: '/large' }).on('error', () => undefined));
  await Promise.all(streams.map((stream) => once(stream, 'response')));
  expect(served).toBe(0);

  await time.advance('1s');

  expect(served).toBe(60);
});
