import { Buffer } from 'node:buffer';
import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CryptoRandom, VirtualClock } from '../../base/index.ts';
import { replaceFiles } from './atomic-files.ts';

let folder: string;
const shown: string[] = [];
const options = {
  clock: new VirtualClock(),
  random: new CryptoRandom(),
  beforeShown: async (made: string): Promise<void> => void shown.push(made),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-atomic-'));
  shown.length = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const file = (path: string, text: string, mode = 0o644): { path: string; bytes: Buffer; mode: number } => ({
  path,
  bytes: Buffer.from(text),
  mode,
});

test('files are reached through links, with the modes that were asked for', async () => {
  await replaceFiles(folder, [file('color', 'blue'), file('deep/er/key', 'k', 0o400)], options);
  expect(await readFile(join(folder, 'color'), 'utf8')).toBe('blue');
  expect(await readFile(join(folder, 'deep/er/key'), 'utf8')).toBe('k');
  expect((await stat(join(folder, 'deep/er/key'))).mode & 0o777).toBe(0o400);
  expect(await readlink(join(folder, 'color'))).toBe('..data/color');
  expect(await readlink(join(folder, '..data'))).toMatch(/^\.\.\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d\.[0-9a-f]+$/);
});

test('new content takes the place of the old in one step, and nothing of the old stays', async () => {
  await replaceFiles(folder, [file('color', 'blue'), file('size', 'big')], options);
  const before = await readlink(join(folder, '..data'));
  await replaceFiles(folder, [file('color', 'red')], options);
  const after = await readlink(join(folder, '..data'));
  expect(after).not.toBe(before);
  expect(shown).toEqual([join(folder, before), join(folder, after)]);
  expect((await readdir(folder)).sort()).toEqual(['..data', after, 'color'].sort());
  expect(await readFile(join(folder, 'color'), 'utf8')).toBe('red');
});

test('content that has not changed is left alone', async () => {
  await replaceFiles(folder, [file('a/b', '1'), file('c', '2')], options);
  const before = await readlink(join(folder, '..data'));
  await replaceFiles(folder, [file('c', '2'), file('a/b', '1')], options);
  expect(await readlink(join(folder, '..data'))).toBe(before);
});

test.each(['', '/etc/passwd', '../up', 'a/../../b', '..data'])('the path %j is refused', async (path) => {
  await expect(replaceFiles(folder, [file(path, '')], options)).rejects.toThrow('invalid path in a volume');
  expect(await readdir(folder)).toEqual([]);
});
