import { expect, test } from 'vitest';
import { loadedBy } from './support/loaded-by.ts';

test('the client loads no server code, no tables of types, no native module and not much of anything', async () => {
  const { files, packages } = await loadedBy('client');

  const folders = new Set([...files.keys()].map((path) => path.split('/').slice(0, 2).join('/')));
  expect([...folders].sort()).toEqual(['src/api', 'src/base', 'src/client', 'src/wire']);
  expect([...files.keys()].filter((path) => path.includes('src/api/generated'))).toEqual([]);
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(200_000);
});

test('the kit loads itself and the client, and nothing else', async () => {
  const { files, packages } = await loadedBy('kit');

  const folders = new Set([...files.keys()].map((path) => path.split('/').slice(0, 2).join('/')));
  expect([...folders].sort()).toEqual(['src/api', 'src/base', 'src/client', 'src/kit', 'src/wire']);
  expect([...files.keys()].filter((path) => path.includes('src/api/generated'))).toEqual([]);
  expect([...packages].filter((name) => !name.startsWith('node:'))).toEqual([]);
  expect([...files.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(360_000);
});

test.each(['scheduler', 'node'] as const)('the %s loads no server code', async (door) => {
  const { files } = await loadedBy(door);

  const server = /^src\/(apiserver|resources|store|cluster|controllers)\//;
  expect([...files.keys()].filter((path) => server.test(path))).toEqual([]);
  expect([...files.keys()].some((path) => path.startsWith(`src/${door}/`))).toBe(true);
});
