import { describe, expect, test } from 'vitest';
import type { Store } from '../store.ts';
import { del, expectFailure, type OpenStoreUnderTest, put, text, WatchReader, write } from './store-under-test.ts';
import { prefixRange } from '../key-range.ts';

/** `commit`, `revision`, `get`, time to live and limits. */
export function describeTransactions(open: OpenStoreUnderTest): void {
  describe('transactions', () => {
    test('each transaction that writes takes exactly one revision, however many keys it has', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const start = await store.revision();

      expect(await write(store, put(`${prefix}a`, '1'))).toBe(start + 1);
      expect(await write(store, put(`${prefix}b`, '2'), put(`${prefix}c`, '3'), del(`${prefix}a`))).toBe(start + 2);
      expect(await store.revision()).toBe(start + 2);
      expect((await store.get(`${prefix}b`))?.modRevision).toBe(start + 2);
      expect((await store.get(`${prefix}c`))?.modRevision).toBe(start + 2);
      expect(await store.get(`${prefix}a`)).toBeUndefined();
    });

    test('a transaction that changes nothing takes no revision', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const start = await write(store, put(`${prefix}a`, '1'));

      expect(await store.commit({ conditions: [], operations: [] })).toEqual({ ok: true, revision: start });
      expect(await write(store, del(`${prefix}absent`))).toBe(start);
      expect(await store.revision()).toBe(start);
    });

    test('an entry has its creation and its last revision; deleting the key resets both', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const first = await write(store, put(key, '1'));
      const second = await write(store, put(key, '2'));

      expect(await store.get(key)).toMatchObject({ key, createRevision: first, modRevision: second });

      await write(store, del(key));
      const third = await write(store, put(key, '3'));
      expect(await store.get(key)).toMatchObject({ key, createRevision: third, modRevision: third });
    });

    test('a write of the same value is a write', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const first = await write(store, put(`${prefix}a`, 'same'));

      expect(await write(store, put(`${prefix}a`, 'same'))).toBe(first + 1);
    });

    test('a stale revision changes nothing and returns the current entry', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const first = await write(store, put(key, '1'));
      const second = await write(store, put(key, '2'));

      const result = await store.commit({
        conditions: [{ key, modRevision: first }],
        operations: [put(key, '3'), put(`${prefix}b`, '3')],
      });

      expect(result).toMatchObject({ ok: false, revision: second, current: [{ key, modRevision: second }] });
      expect(text(await store.get(key))).toBe('2');
      expect(await store.get(`${prefix}b`)).toBeUndefined();
      expect(await store.revision()).toBe(second);
    });

    test('revision 0 as a condition means that the key is absent', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const create = { conditions: [{ key, modRevision: 0 }], operations: [put(key, '1')] };

      expect((await store.commit(create)).ok).toBe(true);
      expect((await store.commit(create)).ok).toBe(false);
      await write(store, del(key));
      expect((await store.commit(create)).ok).toBe(true);
    });

    test('every condition must hold, and a refusal has the entry of each, in their order', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const [a, b, c] = [`${prefix}a`, `${prefix}b`, `${prefix}c`] as const;
      const atA = await write(store, put(a, '1'));
      const atC = await write(store, put(c, '1'));
      const conditions = [
        { key: c, modRevision: atC },
        { key: b, modRevision: 7 },
        { key: a, modRevision: atA },
      ];

      const refused = await store.commit({ conditions, operations: [del(a)] });

      expect(refused).toMatchObject({ ok: false, current: [{ key: c }, undefined, { key: a }] });
      const kept = conditions.filter(({ key }) => key !== b);
      expect(await store.commit({ conditions: kept, operations: [put(b, 'in one go'), del(a), del(c)] })).toMatchObject(
        { ok: true },
      );
      expect((await store.range(prefixRange(prefix))).entries.map(text)).toEqual(['in one go']);
    });

    test('of concurrent writes that expect the same revision, one wins', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const start = await store.revision();
      const create = (name: string) =>
        store.commit({ conditions: [{ key, modRevision: 0 }], operations: [put(key, name)] });

      const results = await Promise.all(Array.from({ length: 20 }, (_item, index) => create(`writer ${index}`)));

      expect(results.filter((result) => result.ok)).toHaveLength(1);
      expect(await store.revision()).toBe(start + 1);
      for (const result of results) {
        if (!result.ok) expect(result.current.map(text)).toEqual([text(await store.get(key))]);
      }
    });

    test('writers that read, increment and write back lose nothing', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}counter`;
      await write(store, put(key, '0'));

      await Promise.all(Array.from({ length: 8 }, () => addOneTimes(store, key, 10)));

      expect(text(await store.get(key))).toBe('80');
    });

    test('accepts any bytes as the value and any characters in the key', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const all = Uint8Array.from({ length: 256 }, (_item, index) => index);
      const key = `${prefix}ä/漢/😀/\u0000\u007f`;
      await store.commit({ conditions: [], operations: [{ type: 'put', key, value: all }, put(`${prefix}empty`, '')] });

      const entry = await store.get(key);

      expect(entry?.key).toBe(key);
      expect(Array.from(entry?.value ?? [])).toEqual(Array.from(all));
      expect((await store.get(`${prefix}empty`))?.value.byteLength).toBe(0);
    });

    test('refuses the empty key, and the same key twice', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const start = await store.revision();

      await expect(write(store, put('', '1'))).rejects.toThrow(/empty key/);
      await expect(write(store, put(`${prefix}a`, '1'), del(`${prefix}a`))).rejects.toThrow(/twice/);
      await expect(write(store, put(`${prefix}a`, '1', -1))).rejects.toThrow(/time to live/);
      expect(await store.revision()).toBe(start);
    });

    test('refuses a transaction above the limits with TooLarge, and accepts one that just fits', async () => {
      await using under = await open({ limits: { maxTransactionBytes: 10_000, maxOperations: 3 } });
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const fits = 'x'.repeat(10_000 - Buffer.byteLength(key));
      const many = (count: number) => Array.from({ length: count }, (_item, index) => put(`${prefix}${index}`, '1'));

      await expectFailure('TooLarge', store.commit({ conditions: [], operations: [put(key, `${fits}x`)] }));
      await expectFailure('TooLarge', store.commit({ conditions: [], operations: many(4) }));
      expect(await store.get(key)).toBeUndefined();
      await write(store, put(key, fits));
      await write(store, ...many(3));
      expect(text(await store.get(key))).toBe(fits);
    });

    test('a signal that has already aborted stops a commit before it writes', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const transaction = { conditions: [], operations: [put(`${prefix}a`, '1')] };

      await expect(store.commit(transaction, { signal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
        'too late',
      );

      expect(await store.get(`${prefix}a`)).toBeUndefined();
    });
  });

  describe('time to live', () => {
    test('a key is deleted when it expires, in a revision that watchers see', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const written = await write(
        store,
        put(`${prefix}a`, 'short', 2),
        put(`${prefix}b`, 'long', 3600),
        put(`${prefix}c`, 'ever'),
      );
      const reader = new WatchReader(store, prefixRange(prefix), written + 1);
      const next = reader.batch();

      await under.advance(3500);

      const { events } = await next;
      expect(events).toMatchObject([{ type: 'delete', key: `${prefix}a` }]);
      expect(events.map((event) => text(event.previous))).toEqual(['short']);
      expect((await store.range(prefixRange(prefix))).entries.map(text)).toEqual(['long', 'ever']);
      expect(await store.revision()).toBeGreaterThan(written);
      await reader.end();
    });

    test('writing a key again replaces its time to live', async () => {
      await using under = await open();
      const { store, prefix } = under;
      await write(store, put(`${prefix}kept`, '1', 2), put(`${prefix}longer`, '1', 2), put(`${prefix}gone`, '1', 2));
      await write(store, put(`${prefix}kept`, '2'), put(`${prefix}longer`, '2', 3600));
      await write(store, put(`${prefix}late`, '1'));
      await write(store, put(`${prefix}late`, '2', 2));
      const reader = new WatchReader(store, prefixRange(prefix), (await store.revision()) + 1);
      const deleted = new Set<string>();

      const advanced = under.advance(4500);
      while (deleted.size < 2)
        for (const event of (await reader.batch()).events) deleted.add(event.type === 'delete' ? event.key : '');
      await advanced;

      expect(deleted).toEqual(new Set([`${prefix}gone`, `${prefix}late`]));
      expect((await store.range(prefixRange(prefix))).entries.map((entry) => entry.key)).toEqual([
        `${prefix}kept`,
        `${prefix}longer`,
      ]);
      await reader.end();
    });
  });
}

async function addOneTimes(store: Store, key: string, times: number): Promise<void> {
  for (let done = 0; done < times;) {
    const entry = await store.get(key);
    const operations = [put(key, String(Number(text(entry)) + 1))];
    const result = await store.commit({ conditions: [{ key, modRevision: entry?.modRevision ?? 0 }], operations });
    if (result.ok) done += 1;
  }
}
