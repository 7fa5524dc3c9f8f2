import { describe, expect, test } from 'vitest';
import { prefixRange, singleKey } from '../key-range.ts';
import type { StoreEvent } from '../store.ts';
import { del, expectFailure, type OpenStoreUnderTest, put, say, text, WatchReader, write } from './store-under-test.ts';

/** `watch`, `requestProgress` and how watches end. */
export function describeWatches(open: OpenStoreUnderTest): void {
  describe('watches', () => {
    test('delivers the past from a revision on, and continues with new events', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const first = await write(store, put(key, '1'));
      const second = await write(store, put(key, '2'));
      const third = await write(store, del(key));
      const reader = new WatchReader(store, prefixRange(prefix), second);

      expect(await reader.until(third)).toEqual([
        `put ${key}=2@${second} was 1@${first}`,
        `delete ${key}@${third} was 2@${second}`,
      ]);
      const fourth = await write(store, put(key, '4'));
      expect(await reader.until(fourth)).toEqual([`put ${key}=4@${fourth}`]);
      await reader.end();
    });

    test('has neither gap nor duplicate while writers continue', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const from = (await store.revision()) + 1;
      const writer = async (name: string): Promise<void> => {
        for (let count = 0; count < 40; count++) await write(store, put(prefix + name, String(count)));
      };
      const writers = Promise.all(['a', 'b', 'c', 'd', 'e'].map(writer));
      const early = new WatchReader(store, prefixRange(prefix), from).until(from + 199);
      await write(store, put(`${prefix}z`, 'half way'));
      const late = new WatchReader(store, prefixRange(prefix), from).until(from + 200);
      await writers;

      const lines = await late;

      expect(lines).toHaveLength(201);
      expect(lines.map((line) => Number(/@(\d+)/.exec(line)?.[1]))).toEqual(
        Array.from(lines, (_line, index) => from + index),
      );
      expect(lines.slice(0, 200)).toEqual((await early).slice(0, 200));
    });

    test('the events of one revision come in one batch, in the order of the operations', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const before = await write(store, put(`${prefix}a`, '1'));
      const live = new WatchReader(store, prefixRange(prefix), before + 1);
      const fromLive = live.batch();
      const revision = await write(store, put(`${prefix}c`, '2'), del(`${prefix}a`), put(`${prefix}b`, '2'));

      const expected = [
        `put ${prefix}c=2@${revision}`,
        `delete ${prefix}a@${revision} was 1@${before}`,
        `put ${prefix}b=2@${revision}`,
      ];
      expect((await fromLive).events.map(say)).toEqual(expected);
      const past = new WatchReader(store, prefixRange(prefix), before + 1);
      expect((await past.batch()).events.map(say)).toEqual(expected);
      await live.end();
      await past.end();
    });

    test('delivers only what is in the range', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const from = (await store.revision()) + 1;
      const ranges = [
        prefixRange(`${prefix}pods/`),
        prefixRange(`${prefix}pods/x/`),
        singleKey(`${prefix}pods/x/1`),
        { from: `${prefix}pods/x`, to: `${prefix}pods/y/2` },
        prefixRange(`${prefix}pod`),
        prefixRange(prefix),
      ];
      const names = ['podslike/1', 'pods/x/1', 'pods/x/10', 'pods/y/1', 'pods/y/2', 'pod', 'nodes/1'];
      const live = ranges.map((range) => new WatchReader(store, range, from));
      const live1 = live.map((reader) => collect(reader));
      for (const name of names) await write(store, put(prefix + name, name));
      const past = ranges.map((range) => new WatchReader(store, range, from));
      const past1 = past.map((reader) => collect(reader));
      await write(store, put(`${prefix}pods/x/1`, 'end'));

      const expected = [
        ['pods/x/1', 'pods/x/10', 'pods/y/1', 'pods/y/2'],
        ['pods/x/1', 'pods/x/10'],
        ['pods/x/1'],
        ['pods/x/1', 'pods/x/10', 'pods/y/1'],
        ['podslike/1', 'pods/x/1', 'pods/x/10', 'pods/y/1', 'pods/y/2', 'pod'],
        names,
      ];
      expect(await Promise.all(live1)).toEqual(expected);
      expect(await Promise.all(past1)).toEqual(expected);
      await Promise.all([...live, ...past].map((reader) => reader.end()));
    });

    test('waits for a revision that is still to come', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const now = await write(store, put(`${prefix}a`, '1'));
      const reader = new WatchReader(store, prefixRange(prefix), now + 3);
      const next = reader.batch();
      for (const value of ['2', '3', '4']) await write(store, put(`${prefix}a`, value));

      expect((await next).events.map(say)).toEqual([`put ${prefix}a=4@${now + 3} was 3@${now + 2}`]);
      await reader.end();
    });

    test('may leave out events that its reader does not want, which count as delivered', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const isWanted = (event: StoreEvent): boolean => say(event).includes('=wanted');
      const from = (await store.revision()) + 1;
      const reader = new WatchReader(store, prefixRange(prefix), from, isWanted);
      const pending = reader.batch();
      await write(store, put(`${prefix}a`, 'other'));
      const wanted = await write(store, put(`${prefix}a`, 'wanted'));
      const last = await write(store, put(`${prefix}b`, 'other'));
      await store.requestProgress();

      const { events, revision } = await pending;
      const lines = [...events.map(say), ...(revision < last ? await reader.until(last) : [])];

      expect(lines.filter((line) => line.includes('=wanted'))).toEqual([
        `put ${prefix}a=wanted@${wanted} was other@${wanted - 1}`,
      ]);
      await reader.end();
    });

    test('requestProgress gives every watch a batch that reaches the newest revision', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const start = await write(store, put(`${prefix}pods/1`, '1'));
      const quiet = new WatchReader(store, prefixRange(`${prefix}nodes/`), start + 1);
      const waiting = quiet.batch();
      const busy = new WatchReader(store, prefixRange(`${prefix}pods/`), start);
      expect((await busy.batch()).events).toHaveLength(1);
      const waitingBusy = busy.batch();
      const behind = new WatchReader(store, prefixRange(`${prefix}pods/`), start);
      expect((await behind.batch()).events).toHaveLength(1);
      const now = await write(store, put(`${prefix}other`, '1'));

      await store.requestProgress();

      const mark = await waiting;
      expect(mark.events).toEqual([]);
      expect(mark.revision).toBeGreaterThanOrEqual(now);
      expect((await waitingBusy).revision).toBeGreaterThanOrEqual(now);
      expect((await behind.batch()).revision).toBeGreaterThanOrEqual(now);
      for (const reader of [quiet, busy, behind]) await reader.end();
    });

    test('from before a compaction is Compacted, from it on works', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const first = await write(store, put(key, '1'));
      const second = await write(store, put(key, '2'));
      const third = await write(store, put(key, '3'));
      await store.compact(second);

      await expectFailure('Compacted', new WatchReader(store, prefixRange(prefix), first).batch());
      const reader = new WatchReader(store, prefixRange(prefix), second);
      expect((await reader.until(third)).map((line) => line.split(' was ')[0])).toEqual([
        `put ${key}=2@${second}`,
        `put ${key}=3@${third}`,
      ]);
      await reader.end();
    });

    test('a compaction does not disturb a watch that is up to date', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const reader = new WatchReader(store, prefixRange(prefix), (await store.revision()) + 1);
      const first = write(store, put(`${prefix}a`, '1'));
      await reader.until(await first);
      const next = reader.batch();
      await store.compact(await write(store, put(`${prefix}a`, '2')));
      await write(store, put(`${prefix}a`, '3'));

      expect(text((await next).events.map((event) => (event.type === 'put' ? event.entry : undefined))[0])).toBe('2');
      await reader.end();
    });

    test('ends when its signal aborts, also if it aborted before', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const start = await write(store, put(`${prefix}a`, '1'));
      const reader = new WatchReader(store, prefixRange(prefix), start);
      await reader.batch();
      const next = reader.next();

      reader.abort();

      expect((await next).done).toBe(true);
      expect((await reader.next()).done).toBe(true);
      const never = new WatchReader(store, prefixRange(prefix), start);
      never.abort();
      expect((await never.next()).done).toBe(true);
    });

    test('leaving the loop ends the watch', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const from = await write(store, put(`${prefix}a`, '1'));
      const stop = new AbortController();
      const seen: number[] = [];

      for await (const batch of store.watch(prefixRange(prefix), { from, signal: stop.signal })) {
        seen.push(batch.revision);
        if (seen.length === 2) break;
        await write(store, put(`${prefix}a`, '2'));
      }

      expect(seen).toEqual([from, from + 1]);
    });

    test('a reader that lags too far ends with SlowWatcher, and others are not disturbed', async () => {
      await using under = await open({ watch: { maxQueued: 5 } });
      const { store, prefix } = under;
      const from = (await store.revision()) + 1;
      const slow = new WatchReader(store, prefixRange(prefix), from);
      const good = new WatchReader(store, prefixRange(prefix), from);
      const first = slow.batch();
      for (let count = 0; count < 50; count++) {
        const revision = await write(store, put(`${prefix}a`, String(count)));
        expect(await good.until(revision)).toHaveLength(1);
      }
      await first;

      await expectFailure('SlowWatcher', slow.until(from + 1000));

      await good.end();
    });

    test('a reader that keeps up is not ended, however many bytes have passed; one that lags is', async () => {
      await using under = await open({ watch: { maxQueuedBytes: 20_000 } });
      const { store, prefix } = under;
      const from = (await store.revision()) + 1;
      const slow = new WatchReader(store, prefixRange(prefix), from);
      const good = new WatchReader(store, prefixRange(prefix), from);
      const first = slow.batch();
      for (let count = 0; count < 15; count++) {
        const next = good.batch(); // it waits for events, and then some of them wait for it
        for (const _ of [1, 2]) await write(store, put(`${prefix}a`, 'x'.repeat(1000)));
        const revision = await write(store, put(`${prefix}a`, 'x'.repeat(1000)));
        if ((await next).revision < revision) await good.until(revision);
      }
      await first;

      await expectFailure('SlowWatcher', slow.until(from + 1000));

      await good.end();
    });

    test('disposing the store ends its watches and refuses later calls', async () => {
      const under = await open();
      const { store, prefix } = under;
      const from = await write(store, put(`${prefix}a`, '1'));
      const reader = new WatchReader(store, prefixRange(prefix), from);
      await reader.batch();
      const next = reader.next();

      await store[Symbol.asyncDispose]();

      expect((await next).done).toBe(true);
      await expectFailure('Unavailable', store.get(`${prefix}a`));
      await expectFailure('Unavailable', write(store, put(`${prefix}a`, '2')));
      await expectFailure('Unavailable', new WatchReader(store, prefixRange(prefix), from).batch());
      await under[Symbol.asyncDispose]();
    });
  });
}

/** The values of the events up to the one whose value is `end`. */
async function collect(reader: WatchReader): Promise<string[]> {
  const values: string[] = [];
  for (;;) {
    for (const event of (await reader.batch()).events) {
      const value = event.type === 'put' ? text(event.entry) : undefined;
      if (value === 'end') return values;
      if (value !== undefined) values.push(value);
    }
  }
}
