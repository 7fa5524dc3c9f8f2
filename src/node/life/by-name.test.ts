import { expect, test } from 'vitest';
import { ByName } from './by-name.ts';

test.each([3, 40])('finds items of a list of %d by name, in their order, and nothing under other names', (count) => {
  const items = Array.from({ length: count }, (_unused, index) => ({ name: `n${index % (count - 1)}`, index }));
  const byName = new ByName<{ readonly name: string; readonly index: number }>(({ name }) => name);

  expect(byName.all(items, 'n0').map(({ index }) => index)).toEqual([0, count - 1]);
  expect(byName.first(items, 'n0')?.index).toBe(0);
  expect(byName.first(items, 'n1')?.index).toBe(1);
  expect([byName.all(items, 'other'), byName.first(items, 'other')]).toEqual([[], undefined]);
});

test('looks at every item of a long list once, however many are looked for', () => {
  let looks = 0;
  const byName = new ByName<{ readonly name: string }>(({ name }) => {
    looks += 1;
    return name;
  });
  const items = Array.from({ length: 3_000 }, (_unused, index) => ({ name: `n${index}` }));
  for (const { name } of items) byName.first(items, name);
  expect(looks).toBe(items.length);
});
