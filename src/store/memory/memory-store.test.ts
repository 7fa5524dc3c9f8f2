import { VirtualClock } from '../../base/index.ts';
import { describeStore } from '../testing/store-contract.ts';
import { openMemoryStore } from './memory-store.ts';

describeStore('the memory store', async (options) => {
  const clock = new VirtualClock();
  const store = openMemoryStore({ clock, ...options });
  return {
    store,
    prefix: '/',
    advance: (ms) => clock.advance(ms),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
});
