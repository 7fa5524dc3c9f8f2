import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import { describeStore } from '../testing/store-contract.ts';
import { openDurableStore } from './open-durable-store.ts';

describeStore('the durable store', async (options) => {
  const clock = new VirtualClock();
  const folder = await mkdtemp(join(tmpdir(), 'keelson-store-'));
  const store = await openDurableStore(folder, { clock, random: new SeededRandom(1), ...options });
  return {
    store,
    prefix: '/',
    advance: (ms) => clock.advance(ms),
    [Symbol.asyncDispose]: async () => {
      await store[Symbol.asyncDispose]();
      await rm(folder, { recursive: true });
    },
  };
});
