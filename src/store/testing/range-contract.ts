import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import type { Revision } from '../store.ts';
import { del, expectFailure, type OpenStoreUnderTest, put, text, write } from './store-under-test.ts';

/** `range` and `get`, now and at a revision, and `compact`. */
export function describeRanges(open: OpenStoreUnderTest): void {
  describe('ranges', () => {
    test('has the keys from `from` up to but not including `to`', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const names = ['a', 'b', 'b/1', 'b0', 'c', 'd'];
      await write(store, ...names.map((name) => put(prefix + name, name)));
      const read = async (from: string, to: string): Promise<(string | undefined)[]> =>
        (await store.range({ from: prefix + from, to: prefix + to })).entries.map(text);

      expect(await read('b', 'd')).toEqual(['b', 'b/1', 'b0', 'c']);
      expect(await read('b/', 'b0')).toEqual(['b/1']);
      expect(await read('aa', 'az')).toEqual([]);
      expect(await read('b', 'b')).toEqual([]);
      expect(await read('c', 'a')).toEqual([]);
      expect((await store.range(prefixRange(prefix))).count).toBe(names.length);
    });

    test('is ordered by UTF-8 bytes, not by UTF-16 units', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const ordered = ['A', 'Z', 'a', 'ä', '漢', '\ue000', '\uffe6', '😀', '\u{10fffe}'];
      for (const name of ordered.toReversed()) await write(store, put(prefix + name, name));

      expect((await store.range(prefixRange(prefix))).entries.map(text)).toEqual(ordered);
      const upper = await store.range({ from: `${prefix}\ue000`, to: `${prefix}😀` });
      expect(upper.entries.map(text)).toEqual(['\ue000', '\uffe6']);
      expect((await store.range(prefixRange(`${prefix}😀`))).entries.map(text)).toEqual(['😀']);
    });

    test('a limit leaves out the rest, reports that there is more and counts all', async () => {
      await using under = await open();
      const { store, prefix } = under;
      await write(store, ...['1', '2', '3', '4', '5'].map((name) => put(prefix + name, name)));
      const range = prefixRange(prefix);

      expect(await store.range(range, { limit: 2 })).toMatchObject({
        more: true,
        count: 5,
        entries: [{ key: `${prefix}1` }, { key: `${prefix}2` }],
      });
      const rest = await store.range({ from: `${prefix}2\0`, to: range.to }, { limit: 3 });
      expect(rest).toMatchObject({ more: false, count: 3 });
      expect(rest.entries.map(text)).toEqual(['3', '4', '5']);
      expect((await store.range(range, { limit: 0 })).entries).toHaveLength(5);
      expect(await store.range(range, { limit: 6 })).toMatchObject({ more: false, count: 5 });
    });

    test('at a revision shows the store as it was then, and reports the newest revision', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const range = prefixRange(prefix);
      const first = await write(store, put(`${prefix}a`, 'a1'), put(`${prefix}b`, 'b1'));
      const second = await write(store, put(`${prefix}a`, 'a2'), del(`${prefix}b`));
      const third = await write(store, put(`${prefix}b`, 'b3'), put(`${prefix}c`, 'c3'));
      const read = async (at?: Revision): Promise<(string | undefined)[]> =>
        (await store.range(range, { at })).entries.map(text);

      expect(await read(first)).toEqual(['a1', 'b1']);
      expect(await read(second)).toEqual(['a2']);
      expect(await read(third)).toEqual(['a2', 'b3', 'c3']);
      expect(await read()).toEqual(['a2', 'b3', 'c3']);
      expect(await store.range(range, { at: first, limit: 1 })).toMatchObject({
        more: true,
        count: 2,
        revision: third,
      });
      expect(text(await store.get(`${prefix}b`, { at: first }))).toBe('b1');
      expect(await store.get(`${prefix}b`, { at: second })).toBeUndefined();
      expect((await store.get(`${prefix}b`, { at: third }))?.createRevision).toBe(third);
    });

    test('pages through one revision while others write', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const names = Array.from({ length: 20 }, (_item, index) => String(index).padStart(2, '0'));
      const at = await write(store, ...names.map((name) => put(prefix + name, name)));
      const seen: (string | undefined)[] = [];
      let from = prefix;
      for (;;) {
        const page = await store.range({ from, to: prefixRange(prefix).to }, { limit: 3, at });
        seen.push(...page.entries.map(text));
        if (!page.more) break;
        from = `${page.entries.at(-1)?.key}\0`;
        await write(store, del(prefix + names[seen.length]), put(`${from}new`, 'new'));
      }

      expect(seen).toEqual(names);
    });

    test('a revision that is still to come is a FutureRevision', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const now = await write(store, put(`${prefix}a`, '1'));

      await expectFailure('FutureRevision', store.get(`${prefix}a`, { at: now + 1 }));
      await expectFailure('FutureRevision', store.range(prefixRange(prefix), { at: now + 1 }));
      await expectFailure('FutureRevision', store.compact(now + 1));
    });

    test('revisions before a compaction cannot be read any more, later ones can', async () => {
      await using under = await open();
      const { store, prefix } = under;
      const key = `${prefix}a`;
      const first = await write(store, put(key, '1'));
      const second = await write(store, put(key, '2'), put(`${prefix}b`, '2'));
      const third = await write(store, put(key, '3'), del(`${prefix}b`));

      await store.compact(second);
      await store.compact(second);
      await store.compact(first);

      await expectFailure('Compacted', store.get(key, { at: first }));
      await expectFailure('Compacted', store.range(prefixRange(prefix), { at: first }));
      expect((await store.range(prefixRange(prefix), { at: second })).entries.map(text)).toEqual(['2', '2']);
      expect((await store.range(prefixRange(prefix), { at: third })).entries.map(text)).toEqual(['3']);
      await store.compact(third);
      expect(text(await store.get(key, { at: third }))).toBe('3');
      expect(await store.get(`${prefix}b`)).toBeUndefined();
    });
  });
}
