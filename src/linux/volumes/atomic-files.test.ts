import { Buffer } from 'node:buffer';
import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CryptoRandom, VirtualClock } from '../../base/index.ts';
import { DISK_CALLS, MEMORY_CALLS } from '../../system/index.ts';
import { replaceFiles } from './atomic-files.ts';

let folder: string;
/** Names in the folder when new content was complete. */
const shown: string[][] = [];
const parts = {
  clock: new VirtualClock(),
  random: new CryptoRandom(),
  beforeShown: async (): Promise<void> => void shown.push(await readdir(folder)),
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

describe.each([
  ['on disk', DISK_CALLS],
  ['in memory', MEMORY_CALLS],
])('files %s', (_, calls) => {
  const options = { ...parts, calls };

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
    expect(shown[0]).toEqual([before]);
    expect(shown[1]).toContain(after);
    expect(shown).toHaveLength(2);
    expect((await readdir(folder)).sort()).toEqual(['..data', after, 'color'].sort());
    expect(await readFile(join(folder, 'color'), 'utf8')).toBe('red');
  });

  test('content that has not changed is left alone', async () => {
    await replaceFiles(folder, [file('a/b', '1'), file('c', '2')], options);
    const before = await readlink(join(folder, '..data'));
    await replaceFiles(folder, [file('c', '2'), file('a/b', '1')], options);
    expect(await readlink(join(folder, '..data'))).toBe(before);
  });

  test('a file at another path with the same name and content is a change', async () => {
    await replaceFiles(folder, [file('a/key', '1'), file('b/key', '2')], options);
    await replaceFiles(folder, [file('a/key', '1'), file('c/key', '2')], options);
    expect((await readdir(folder)).filter((name) => !name.startsWith('..')).sort()).toEqual(['a', 'c']);
    await expect(readFile(join(folder, 'b/key'))).rejects.toThrow('ENOENT');
  });

  test('of two files with one path the last is shown, and they are not written again', async () => {
    const files = [file('a', 'first'), file('a', 'last')];
    await replaceFiles(folder, files, options);
    await replaceFiles(folder, files, options);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('last');
    expect(shown).toHaveLength(1);
  });

  test('what belongs to others stays, and what a killed agent left is removed', async () => {
    await replaceFiles(folder, [file('a', '1')], options);
    await mkdir(join(folder, 'mount-point'));
    await mkdir(join(folder, '..2020_01_01_00_00_00.0123456789'));
    await symlink('nowhere', join(folder, '..data_tmp'));
    await rm(join(folder, 'a'));
    await replaceFiles(folder, [file('a', '1')], options);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('1');
    await replaceFiles(folder, [file('b', '1')], options);
    const current = await readlink(join(folder, '..data'));
    expect((await readdir(folder)).sort()).toEqual(['..data', current, 'b', 'mount-point'].sort());
  });

  test('many files are all written', async () => {
    const files = Array.from({ length: 200 }, (_unused, index) => file(`file-${index}`, String(index)));
    await replaceFiles(folder, files, options);
    expect((await readdir(join(folder, '..data'))).length).toBe(200);
    expect(await readFile(join(folder, 'file-199'), 'utf8')).toBe('199');
  });
});

test.each([
  ['', 'must not be empty: ""'],
  ['/etc/passwd', 'must be relative path: /etc/passwd'],
  ['../up', "must not contain '..': ../up"],
  ['a/../../b', "must not contain '..': a/../../b"],
  ['..data', "must not start with '..': ..data"],
  ['a/'.repeat(2500), 'must be less than or equal to 4096 characters'],
  ['a'.repeat(256), 'filenames must be less than or equal to 255 characters'],
])('the path %j is refused', async (path, problem) => {
  await expect(replaceFiles(folder, [file(path, '')], { ...parts, calls: DISK_CALLS })).rejects.toThrow(
    `invalid path: ${problem}`,
  );
  expect(await readdir(folder)).toEqual([]);
});
