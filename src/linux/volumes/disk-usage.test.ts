import { link, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { diskUsage, folderStats } from './disk-usage.ts';

let folder: string;
const { signal } = new AbortController();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-usage-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('files count once, links count as links, and the folder itself counts', async () => {
  await mkdir(join(folder, 'a/b'), { recursive: true });
  await writeFile(join(folder, 'a/b/file'), Buffer.alloc(100_000));
  await link(join(folder, 'a/b/file'), join(folder, 'again'));
  await symlink('/usr', join(folder, 'link'));
  const { bytes, inodes } = await diskUsage(folder, signal);
  expect(inodes).toBe(5);
  expect(bytes).toBeGreaterThanOrEqual(100_000);
  expect(bytes).toBeLessThan(200_000);
});

test('statistics of a folder have the size of its file system and its own usage', async () => {
  const { capacityBytes, availableBytes, usedBytes, inodesUsed } = await folderStats(folder, signal);
  expect(capacityBytes).toBeGreaterThanOrEqual(availableBytes);
  expect(usedBytes).toBeLessThan(100_000);
  expect(inodesUsed).toBe(1);
});

test('counting ends when the caller has given up', async () => {
  await writeFile(join(folder, 'file'), '');
  await expect(diskUsage(folder, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
