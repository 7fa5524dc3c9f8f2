import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RealClock, VirtualClock } from '../base/index.ts';
import { withLockFile } from './lock-file.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-locks-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a lock of a process that is gone is taken over', async () => {
  const path = join(folder, 'dead');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  await writeFile(`${path}.lock`, `${pid} 1\n`);
  expect(await withLockFile(path, new RealClock(), () => readFile(`${path}.lock`, 'utf8'))).toMatch(`${process.pid} `);
  expect(await readdir(folder)).toEqual([]);
});

test.runIf(process.platform === 'linux')('so is one whose number another process has now', async () => {
  const path = join(folder, 'reused');
  await writeFile(`${path}.lock`, `${process.pid} 1\n`);
  expect(await withLockFile(path, new RealClock(), async () => 'done')).toBe('done');
});

test.each(['', `${process.pid} \n`])(
  'one of a process that lives, or that does not say, is waited for: %j',
  async (text) => {
    const path = join(folder, 'held');
    await writeFile(`${path}.lock`, text);
    const clock = new VirtualClock();
    const taking = withLockFile(path, clock, async () => 'done');
    const refused = expect(taking).rejects.toThrow('another program changes the file');
    await clock.advance('6s');
    await refused;
    expect(await readFile(`${path}.lock`, 'utf8')).toBe(text);
  },
);
