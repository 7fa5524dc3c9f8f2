import { expect, test } from 'vitest';
import { RecentMap } from './recent-map.ts';

test('dropOldest() drops expired entries up to the first that is not expired', () => {
  const map = new RecentMap<number>(10);
  for (const [index, key] of ['a', 'b', 'c', 'd'].entries()) map.set(key, index);
  map.get('a');
  map.dropOldest((value) => value < 2);

  expect([...map]).toEqual([
    ['c', 2],
    ['d', 3],
    ['a', 0],
  ]);
});
