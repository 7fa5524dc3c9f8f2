import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeDurableFolder } from './durable-folder.ts';

const root = await mkdtemp(join(tmpdir(), 'keelson-folder-'));
afterAll(() => rm(root, { recursive: true }));

test('creates the folders of a path for their owner alone, also when two do at once', async () => {
  const path = join(root, 'a', 'b', 'c');
  await Promise.all([makeDurableFolder(path), makeDurableFolder(path)]);
  for (const each of [path, join(root, 'a')]) expect((await stat(each)).mode & 0o777).toBe(0o700);
  await makeDurableFolder(path);
});

test('refuses a path that is a file, or leads through one', async () => {
  const file = join(root, 'file');
  await writeFile(file, '');
  await expect(makeDurableFolder(file)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDurableFolder(join(file, 'a'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.skipIf(!existsSync('/proc/self'))('fails where the file system makes no folders', async () => {
  await expect(makeDurableFolder('/proc/keelson/store')).rejects.toMatchObject({
    code: 'ENOENT',
    path: '/proc/keelson',
  });
});
