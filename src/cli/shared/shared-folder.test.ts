import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { sharedFolder } from './shared-folder.ts';

test('one build of the program has one folder, which only its user can access', async () => {
  const base = await mkdtemp(join(tmpdir(), 'keelson-shared-'));
  const program = { node: process.execPath, file: join(base, 'program.js') };
  await writeFile(program.file, '');
  const environment = { XDG_RUNTIME_DIR: base };
  const folder = await sharedFolder(program, environment);

  expect(dirname(folder)).toBe(base);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(await sharedFolder(program, environment)).toBe(folder);
  expect(await sharedFolder({ ...program, node: '/other/node' }, environment)).not.toBe(folder);
  await chmod(folder, 0o755);
  await expect(sharedFolder(program, environment)).rejects.toThrow('no other user can read or write');
  await rm(base, { recursive: true });
});
