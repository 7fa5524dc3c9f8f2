import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isStoreError } from '../errors.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { expectFailure } from '../testing/store-under-test.ts';
import { lockFolder } from './folder-lock.ts';
import { verifyStore } from './verify-store.ts';

let base = '';
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'keelson-lock-'));
});
afterAll(() => rm(base, { recursive: true }));

async function newFolder(name: string): Promise<string> {
  const folder = join(base, name);
  await mkdir(folder, { recursive: true });
  return folder;
}

/** Starts a process that listens on a socket of this name and reports when it does. */
async function holdInOtherProcess(path: string): Promise<{ kill(): Promise<void> }> {
  const program = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('held'))`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
  const kill = (): Promise<void> =>
    new Promise((resolve) => {
      child.once('close', () => resolve());
      child.kill('SIGKILL');
    });
  return { kill };
}

describe('a folder', () => {
  test('stays locked when every file in it is removed, and through any path that leads to it', async () => {
    const folder = await newFolder('emptied');
    const link = join(base, 'link');
    await symlink(folder, link);
    const lock = await lockFolder(folder);
    for (const name of await readdir(folder)) await rm(join(folder, name));

    await expectFailure('Locked', lockFolder(folder));
    await expectFailure('Locked', lockFolder(link));

    await lock[Symbol.asyncDispose]();
    await (await lockFolder(link))[Symbol.asyncDispose]();
  });

  test.runIf(process.platform === 'linux')('is locked by flock too, where that program exists', async (context) => {
    const folder = await newFolder('flocked');
    const tryFlock = (): number | null => spawnSync('flock', ['-xn', folder, 'true']).status;
    if (tryFlock() !== 0) {
      context.task.meta.skipReason = 'there is no program flock';
      context.skip();
    }
    const lock = await lockFolder(folder);
    expect(tryFlock()).toBe(1);

    await lock[Symbol.asyncDispose]();
    expect(tryFlock()).toBe(0);
  });

  test('that cannot be written to can be locked by processes that only read', async (context) => {
    const folder = await newFolder('medium');
    await (await lockFolder(folder))[Symbol.asyncDispose]();
    const mount = spawnSync('mount', ['--bind', '-o', 'ro', folder, folder]);
    if (mount.status !== 0) {
      context.task.meta.skipReason = 'mounting a folder is not allowed';
      context.skip();
    }
    try {
      const lock = await lockFolder(folder, { isOnlyRead: true });
      await expectFailure('Locked', lockFolder(folder, { isOnlyRead: true }));
      await lock[Symbol.asyncDispose]();
      await expect(lockFolder(folder)).rejects.toThrow('EROFS');
    } finally {
      spawnSync('umount', ['--lazy', folder]); // a released lock may be closed a little later
    }
  });

  test('has one owner at a time, also within a process', async () => {
    const folder = await newFolder('one');
    const lock = await lockFolder(folder);

    await expectFailure('Locked', lockFolder(folder));
    const error = await lockFolder(folder).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(`"${folder}"`);
    expect(String(error)).toContain(`process id ${process.pid}`);

    await lock[Symbol.asyncDispose]();
    await (await lockFolder(folder))[Symbol.asyncDispose]();
    expect((await readdir(folder)).filter((name) => name.startsWith('lock-'))).toEqual([]);
  });

  test('that another process holds is refused until that process is dead, however it died', async () => {
    const folder = await newFolder('other');
    const other = await holdInOtherProcess(join(folder, 'lock-3'));

    await expectFailure('Locked', lockFolder(folder));

    await other.kill();
    expect(await readdir(folder)).toContain('lock-3');
    const lock = await lockFolder(folder);
    expect((await readdir(folder)).filter((name) => name.startsWith('lock-'))).toEqual(['lock-4']);
    await expectFailure('Locked', lockFolder(folder));
    await lock[Symbol.asyncDispose]();
  });

  test('is won by at most one of many contenders after a crash', async () => {
    const folder = await newFolder('many');
    await (await holdInOtherProcess(join(folder, 'lock-1'))).kill();
    for (let round = 0; round < 5; round++) {
      const results = await Promise.allSettled(Array.from({ length: 12 }, () => lockFolder(folder)));

      const winners = results.filter((result) => result.status === 'fulfilled');
      const losers = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(winners.length).toBeLessThanOrEqual(1);
      expect(losers.every((error) => isStoreError(error, 'Locked'))).toBe(true);
      for (const { value } of winners) await value[Symbol.asyncDispose]();
    }
    await (await lockFolder(folder))[Symbol.asyncDispose]();
  });

  test('may have a longer path than a socket allows', async () => {
    const folder = await newFolder(join('deep', 'x'.repeat(120), 'y'.repeat(120)));
    const lock = await lockFolder(folder);

    await expectFailure('Locked', lockFolder(folder));
    await lock[Symbol.asyncDispose]();
  });

  test('is released when opening fails, and protected from maintenance operations while a store is open', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async () => {
      await expectFailure('Locked', folder.open());
      await expectFailure('Locked', verifyStore(folder.path, folder));
    });
    await folder.write('log-0000000001', Buffer.from('not a log'));
    await expectFailure('Damaged', folder.open());
    await expectFailure('Damaged', folder.open());
  });

  test('whose lock socket is a live server of another program counts as locked', async () => {
    const folder = await newFolder('server');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, 'lock-9'), resolve));

    await expectFailure('Locked', lockFolder(folder));

    await new Promise((resolve) => server.close(resolve));
    await (await lockFolder(folder))[Symbol.asyncDispose]();
  });
});
