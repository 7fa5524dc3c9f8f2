import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { contains, prefixRange, singleKey } from '../key-range.ts';
import type { KeyRange } from '../store.ts';
import { WatchIndex } from './watch-index.ts';

interface Watcher {
  readonly range: KeyRange;
}

function found(index: WatchIndex<Watcher>, key: string): Set<Watcher> {
  const watchers = new Set<Watcher>();
  index.visit(key, (watcher) => {
    expect(watchers.has(watcher)).toBe(false); // no watcher is visited twice
    watchers.add(watcher);
  });
  return watchers;
}

const names = fc.stringMatching(/^[a-c/é😀]{0,6}$/u);
const keys = names.filter((name) => name !== '');
const ranges = fc.oneof(
  names.map(prefixRange),
  names.map(singleKey),
  fc.tuple(names, names).map(([from, to]) => ({ from, to })),
);

describe('WatchIndex', () => {
  test('finds for any key exactly the watchers whose range has it', () => {
    fc.assert(
      fc.property(fc.array(ranges, { maxLength: 20 }), fc.array(keys, { maxLength: 20 }), (all, keys) => {
        const index = new WatchIndex<Watcher>();
        const watchers = all.map((range) => ({ range }));
        for (const watcher of watchers) index.add(watcher);
        for (const key of keys) {
          expect(found(index, key)).toEqual(new Set(watchers.filter(({ range }) => contains(range, key))));
        }
        for (const watcher of watchers) index.delete(watcher);
        for (const key of keys) expect(found(index, key).size).toBe(0);
      }),
    );
  });

  test('a write visits none of the watchers of other keys, however many they are', () => {
    const index = new WatchIndex<Watcher>();
    let asked = 0;
    const watch = (range: KeyRange): void =>
      index.add({
        get range() {
          asked += 1;
          return range;
        },
      });
    for (let count = 0; count < 1000; count++) {
      watch(prefixRange(`/registry/kind-${count}/`));
      watch(singleKey(`/registry/pods/default/pod-${count}`));
    }
    asked = 0;

    expect(found(index, '/registry/kind-7/default/x').size).toBe(1);
    expect(found(index, '/registry/pods/default/pod-7').size).toBe(1);
    expect(found(index, '/registry/pods/default/other').size).toBe(0);

    expect(asked).toBe(2);
  });
});
