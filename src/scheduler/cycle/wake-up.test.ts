import { expect, test } from 'vitest';
import { WakeUp } from './wake-up.ts';

test('WakeUp.sleep() ends with a call, with one that came before, or with the signal, and leaves nothing behind', async () => {
  const stop = new AbortController();
  let listeners = 0;
  const { signal } = stop;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  const wakeUp = new WakeUp();
  for (let round = 0; round < 5; round++) {
    const sleeping = wakeUp.sleep(signal);
    wakeUp.call();
    await sleeping;
    wakeUp.call();
    await wakeUp.sleep(signal);
  }
  expect(listeners).toBe(0);
  const sleeping = wakeUp.sleep(signal);
  stop.abort();
  await sleeping;
  await wakeUp.sleep(signal);
});
