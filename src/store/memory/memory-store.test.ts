import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import { describeStore } from '../testing/store-contract.ts';
import { put, say, WatchReader, write } from '../testing/store-under-test.ts';
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

test('a change wakes up only the watches that want it', async () => {
  await using store = openMemoryStore({ clock: new VirtualClock() });
  const readers = ['a', 'b'].map(
    (name) => new WatchReader(store, prefixRange('/'), 1, (event) => say(event).includes(`=${name}@`)),
  );
  const pending = readers.map((reader) => reader.batch());
  await write(store, put('/one', 'a'));
  await write(store, put('/two', 'b'));

  const batches = await Promise.all(pending);

  expect(batches.map(({ events }) => events.map(say))).toEqual([['put /one=a@1'], ['put /two=b@2']]);
  await Promise.all(readers.map((reader) => reader.end()));
});
