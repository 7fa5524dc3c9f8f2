import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import type { EncodedAnswer } from '../answers/answer.ts';
import { inProcessCall, type InProcessCall } from '../transport/index.ts';
import { ConcurrencyLimiter } from './limit-concurrency.ts';
import { type Next, pipeline } from './stage.ts';

const OK: EncodedAnswer = { code: 200, headers: {}, body: new Uint8Array() };
const DONE = { code: 200, bytes: 0, outcome: 'complete' } as const;
const MASTER = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const USER = { name: 'someone', groups: ['system:authenticated'] };

class Flood {
  readonly clock = new VirtualClock();
  readonly limiter: ConcurrencyLimiter;
  readonly running: InProcessCall[] = [];
  refused = 0;
  readonly #handle: Next;

  constructor(maxWrites: number) {
    this.limiter = new ConcurrencyLimiter({ maxReads: 1, maxWrites }, this.clock);
    this.#handle = pipeline([this.limiter.stage], async (call) => {
      this.running.push(call as InProcessCall);
      return OK;
    });
  }

  post(user: InProcessCall['principal']['user'], takesObjects = false): InProcessCall {
    const call = inProcessCall({ method: 'POST', path: '/api/v1/namespaces/a/pods', user, clock: this.clock });
    call.takesObjects = takesObjects;
    Promise.resolve(this.#handle(call)).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 429, status: { details: { retryAfterSeconds: 1 } } });
      this.refused += 1;
    });
    return call;
  }

  async counts(): Promise<{ running: number; refused: number }> {
    await new Promise((resolve) => void setImmediate(resolve));
    return { running: this.running.length, refused: this.refused };
  }
}

test('users are refused exactly at the limit', async () => {
  const flood = new Flood(200);
  for (let sent = 0; sent < 500; sent++) flood.post(USER);
  expect(await flood.counts()).toEqual({ running: 200, refused: 300 });
});

test('a flood from system:masters is bounded: a reserve, then a queue; the rest is refused', async () => {
  const flood = new Flood(200);
  for (let sent = 0; sent < 500; sent++) flood.post(MASTER);
  expect(await flood.counts()).toEqual({ running: 250, refused: 50 });
  while (flood.running.length > 0) {
    flood.running.splice(0).forEach((call) => call.finish(DONE));
    await flood.counts();
  }
  expect(flood.limiter.inFlight.writes).toBe(0);
  expect(flood.refused).toBe(50);
});

test('system:masters pass while users occupy the limit, and users cannot occupy the reserve', async () => {
  const flood = new Flood(4);
  for (let sent = 0; sent < 10; sent++) flood.post(USER);
  flood.post(MASTER);
  flood.post(USER);
  expect(await flood.counts()).toEqual({ running: 5, refused: 7 });
});

test('waiting requests are admitted first come, first served, unless their clients left', async () => {
  const flood = new Flood(1);
  flood.post(MASTER);
  flood.post(MASTER);
  const waiting = flood.post(MASTER);
  expect(await flood.counts()).toEqual({ running: 2, refused: 0 });
  waiting.abort('gone');
  expect(await flood.counts()).toEqual({ running: 2, refused: 1 });
  const next = flood.post(MASTER);
  flood.running[0]?.finish(DONE);
  expect(await flood.counts()).toEqual({ running: 3, refused: 1 });
  expect(flood.running[2]).toBe(next);
});

test('requests wait only for a limited time', async () => {
  const flood = new Flood(1);
  for (let sent = 0; sent < 3; sent++) flood.post(MASTER);
  await flood.clock.advance('14s');
  expect(await flood.counts()).toEqual({ running: 2, refused: 0 });
  await flood.clock.advance('1s');
  expect(await flood.counts()).toEqual({ running: 2, refused: 1 });
});

test('the server’s calls to itself do not wait, because other requests wait for them', async () => {
  const flood = new Flood(1);
  for (let sent = 0; sent < 3; sent++) flood.post(MASTER, true);
  expect(await flood.counts()).toEqual({ running: 3, refused: 0 });
});
