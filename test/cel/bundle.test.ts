import { expect, test } from 'vitest';
import { loadedBy } from '../support/loaded-by.ts';

test('the expression language loads no server, no tables of types and no other package', async () => {
  const { files } = await loadedBy('cel');

  const folders = new Set(
    [...files.keys()].map((path) =>
      path
        .split('/')
        .slice(0, 3)
        .join('/')
        .replace(/\/[^/]*\.ts$/, ''),
    ),
  );
  expect([...folders].filter((folder) => !folder.startsWith('src/cel')).sort()).toEqual([
    'src/api/json', // what a plain object is, and how numbers are written
    'src/api/schema', // which compiles schemas
    'src/api/values',
    'src/base',
  ]);
  expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(300_000);
});
