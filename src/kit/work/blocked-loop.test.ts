import { expect, test } from 'vitest';
import { type Clock, LineLogger, RealClock, VirtualClock } from '../../base/index.ts';
import { watchEventLoop } from './blocked-loop.ts';

/** A clock whose timers are called by hand, at the time that the test says. */
function clockByHand(): { readonly clock: Clock; fire(atMs: number): void } {
  let nowMs = 0;
  let callback = (): void => undefined;
  const timer = (_ms: number, call: () => void): Disposable => {
    callback = call;
    return { [Symbol.dispose]: () => void (callback = () => undefined) };
  };
  const clock = Object.assign(Object.create(new RealClock()) as Clock, { timer, monotonic: () => nowMs });
  return {
    clock,
    fire: (atMs) => {
      nowMs = atMs;
      callback();
    },
  };
}

test('a timer that is more than a second late is reported, with the run that took so much time', () => {
  const lines: string[] = [];
  const log = new LineLogger({ clock: new VirtualClock(), level: 'warn', write: (line) => lines.push(line) });
  const { clock, fire } = clockByHand();
  using loop = watchEventLoop(clock, log);
  fire(500);
  fire(1900); // 900 ms late
  expect(lines).toEqual([]);

  const record = { why: [], startedAt: 0, writes: 0, outcome: 'done' as const };
  loop.ran({ controller: 'websites', key: 'default/a', durationMs: 3100, ...record });
  loop.ran({ controller: 'websites', key: 'default/b', durationMs: 3, ...record });
  fire(5400); // 3000 ms late
  expect(lines).toEqual([
    expect.stringMatching(/event loop was blocked.* ms=3000 controller="websites" object="default\/a"/),
  ]);
  fire(8900);
  expect(lines[1]).toMatch(/ms=3000$/m);
});
