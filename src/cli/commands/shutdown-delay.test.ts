import { expect, test } from 'vitest';
import { settle, VirtualClock } from '../../base/index.ts';
import { Flags } from '../flags.ts';
import { serverFlags } from '../../cluster/programs/apiserver/index.ts';
import { orderlyStop } from './shutdown-delay.ts';

test('a server that is asked to stop announces it at once, and keeps serving for the delay', async () => {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const flags = new Flags(['--shutdown-delay-duration=5s'], serverFlags);
  using stop = orderlyStop(flags, { clock, signal: stopping.signal });
  const steps: string[] = [];
  const serving = stop.serving({ drain: () => steps.push('draining') }).then(() => steps.push('stopped'));

  stopping.abort();
  await settle();
  expect([steps, stop.signal.aborted]).toEqual([['draining'], false]);
  await clock.advance('5s');
  await serving;
  expect([steps, stop.signal.aborted]).toEqual([['draining', 'stopped'], true]);
});

test('a server that does not serve yet, or has no delay, stops at once', async () => {
  const clock = new VirtualClock();
  for (const args of [['--shutdown-delay-duration=5s'], []]) {
    const stopping = new AbortController();
    using stop = orderlyStop(new Flags(args, serverFlags), { clock, signal: stopping.signal });
    stopping.abort();
    expect(stop.signal.aborted).toBe(true);
    await stop.serving({ drain: () => expect.unreachable() });
  }
});
