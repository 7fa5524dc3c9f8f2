import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { isStoreError } from '../errors.ts';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { FaultyFiles, systemError } from '../testing/faulty-files.ts';
import { expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';
import { openFolder } from './node-files.ts';
import { openDurableStore } from './open-durable-store.ts';

const ALL = prefixRange('/');
const BIG = 'x'.repeat(50_000);

async function faulty(folder: DurableFolder): Promise<FaultyFiles> {
  return new FaultyFiles(await openFolder(folder.path));
}

describe('a full disk', () => {
  test.each(['create', 'write', 'sync', 'rename'] as const)(
    'refuses writes with NoSpace, still reads, and accepts writes when there is space again (%s)',
    async (action) => {
      await using folder = await DurableFolder.make();
      const files = await faulty(folder);
      const store = await folder.open({ files, segmentBytes: 100_000 });
      const reader = new WatchReader(store, ALL, 1);
      await write(store, put('/a', '1'));
      files.fault = (found, name) => {
        if (found === action && name.endsWith('.new')) throw systemError('ENOSPC');
      };
      let acknowledged = 1;
      const failures: unknown[] = [];
      while (failures.length < 3) {
        await write(store, put('/a', `${acknowledged + 1} ${BIG}`)).then(
          (revision) => (acknowledged = revision),
          (error: unknown) => failures.push(error),
        );
      }

      expect(failures.every((error) => isStoreError(error, 'NoSpace'))).toBe(true);
      expect(store.revisionNow()).toBe(acknowledged);
      expect(text(await store.get('/a'))).toBe(`${acknowledged} ${BIG}`);
      expect((await reader.until(acknowledged)).length).toBe(acknowledged);
      expect(folder.logged.filter(({ level }) => level === 'error')).toHaveLength(1);

      files.fault = () => undefined;
      expect(await write(store, put('/b', 'space'))).toBe(acknowledged + 1);
      expect(await reader.until(acknowledged + 1)).toEqual([`put /b=space@${acknowledged + 1}`]);
      await store[Symbol.asyncDispose]();
      await folder.during(async (again) => {
        expect(again.revisionNow()).toBe(acknowledged + 1);
        expect(text(again.readNow('/a'))).toBe(`${acknowledged} ${BIG}`);
      });
    },
  );

  test('refuses all queued writes and forgets them: the next write is checked against what is really stored', async () => {
    await using folder = await DurableFolder.make();
    const files = await faulty(folder);
    await using store = await folder.open({ files, segmentBytes: 100_000 });
    const first = await write(store, put('/a', BIG), put('/b', '1'));
    files.fault = (_action, name) => {
      if (name.endsWith('.new')) throw systemError('ENOSPC');
    };
    const fill = write(store, put('/c', BIG));
    const chained = store.commit({ conditions: [{ key: '/b', modRevision: first }], operations: [put('/b', '2')] });
    const conflict = store.commit({ conditions: [{ key: '/b', modRevision: first }], operations: [put('/b', '3')] });

    await expectFailure('NoSpace', fill);
    await expectFailure('NoSpace', chained);
    await expectFailure('NoSpace', conflict);

    files.fault = () => undefined;
    const again = await store.commit({ conditions: [{ key: '/b', modRevision: first }], operations: [put('/b', '4')] });
    expect(again).toEqual({ ok: true, revision: first + 1 });
  });

  test('does not prevent a store from being opened and read', async () => {
    await using folder = await DurableFolder.make();
    await folder.during((store) => write(store, put('/a', '1')));
    const files = await faulty(folder);
    files.fault = (action) => {
      if (action === 'create') throw systemError('ENOSPC');
    };
    await using store = await folder.open({ files });
    expect(text(store.readNow('/a'))).toBe('1');
  });

  test('does not stop a store when only a checkpoint cannot be written', async () => {
    await using folder = await DurableFolder.make();
    const files = await faulty(folder);
    await using store = await folder.open({
      files,
      segmentBytes: 2000,
      checkpointAfterBytes: 1,
      history: { maxRevisions: 2 },
    });
    files.fault = (action, name) => {
      if (action === 'write' && name.startsWith('checkpoint-')) throw systemError('ENOSPC');
    };
    for (let count = 0; count < 20; count++) await write(store, put('/a', 'x'.repeat(500)));
    await expect(store.checkpoint()).rejects.toThrow('ENOSPC');

    expect(store.revisionNow()).toBe(20);
    expect(await folder.names('checkpoint-')).toEqual([]);
    expect(folder.logged.some(({ message }) => message.startsWith('store checkpoint failed'))).toBe(true);
    files.fault = () => undefined;
    await store.checkpoint();
    expect(await folder.names('checkpoint-')).toHaveLength(1);
  });

  test('refuses to open a store with NoSpace, and opens it when there is space', async () => {
    await using folder = await DurableFolder.make();
    const files = await faulty(folder);
    files.fault = (action) => {
      if (action === 'write') throw systemError('ENOSPC');
    };
    await expectFailure('NoSpace', folder.open({ files }));
    files.fault = (action) => {
      if (action === 'create') throw systemError('EACCES');
    };
    await expectFailure('Unavailable', folder.open({ files }));

    await folder.during((store) => write(store, put('/a', '1')));
  });

  test('on a real file system', async (context) => {
    const mount = await mkdtemp(join(tmpdir(), 'keelson-full-'));
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', mount], { stdio: 'ignore' });
    } catch {
      await rm(mount, { recursive: true });
      context.task.meta.skipReason = 'mounting a small file system is not allowed';
      context.skip();
    }
    try {
      const options = {
        clock: new RealClock(),
        random: new CryptoRandom(),
        segmentBytes: 1024 * 1024,
        checkpointAfterBytes: 1e9,
      };
      const store = await openDurableStore(mount, options);
      let acknowledged = 0;
      const failure = await (async () => {
        for (;;) acknowledged = await write(store, put(`/${acknowledged % 5}`, `${acknowledged} ${BIG}`));
      })().catch((error: unknown) => error);

      expect(isStoreError(failure, 'NoSpace'), String(failure)).toBe(true);
      expect(acknowledged).toBeGreaterThan(10);
      expect(store.rangeNow(ALL).count).toBe(5);
      execFileSync('mount', ['-o', 'remount,size=8m', mount]);
      expect(await write(store, put('/more', 'space'))).toBe(acknowledged + 1);
      await store[Symbol.asyncDispose]();
      const again = await openDurableStore(mount, options);
      expect(again.revisionNow()).toBe(acknowledged + 1);
      expect(text(again.readNow(`/${(acknowledged - 1) % 5}`))).toBe(`${acknowledged - 1} ${BIG}`);
      await again[Symbol.asyncDispose]();
    } finally {
      execFileSync('umount', [mount]);
      await rm(mount, { recursive: true });
    }
  });
});

describe('a failing disk', () => {
  test.each(['write', 'sync'] as const)(
    'that failed once to %s is not trusted again until the store is reopened; reads continue',
    async (action) => {
      await using folder = await DurableFolder.make();
      const files = await faulty(folder);
      const store = await folder.open({ files });
      const reader = new WatchReader(store, ALL, 1);
      await write(store, put('/a', '1'));
      files.fault = (found) => {
        if (found === action) throw systemError(action === 'sync' ? 'ENOSPC' : 'EIO');
      };
      const underWay = [write(store, put('/a', '2')), write(store, put('/b', '2'))];
      for (const commit of underWay) await expectFailure('Unavailable', commit);

      files.fault = () => undefined;
      await expectFailure('Unavailable', write(store, put('/a', '3')));
      await expectFailure('Unavailable', store.compact(1));
      expect(text(await store.get('/a'))).toBe('1');
      expect(store.revisionNow()).toBe(1);
      expect(await reader.until(1)).toEqual(['put /a=1@1']);
      expect(folder.logged.filter(({ level }) => level === 'error')).toHaveLength(1);
      await store[Symbol.asyncDispose]();

      await folder.during(async (again) => {
        expect(['1', '2']).toContain(text(again.readNow('/a'))); // the write in progress may or may not be there, but never in part
        expect(again.readNow('/b') !== undefined).toBe(again.revisionNow() === 3);
        await write(again, put('/a', '4'));
      });
    },
  );

  test('that fails while space is preallocated is not trusted again either', async () => {
    await using folder = await DurableFolder.make();
    const files = await faulty(folder);
    await using store = await folder.open({ files, segmentBytes: 4 * 1024 * 1024 });
    let syncs = 0;
    files.fault = (action) => {
      if (action !== 'sync') return;
      syncs += 1;
      if (syncs > 1) throw systemError('EIO');
    };
    await write(store, put('/a', 'x'.repeat(600_000))); // leaves less than half a preallocation step of space
    await folder.clock.advance(0); // lets the preallocation run

    await expectFailure('Unavailable', write(store, put('/a', '2')));
    expect(syncs).toBe(2);
  });
});

describe('too many open files', () => {
  test.each(['create', 'syncFolder'] as const)(
    'refuse the writes that need a new segment, and only those, until there is room again (%s)',
    async (action) => {
      await using folder = await DurableFolder.make();
      const files = await faulty(folder);
      const store = await folder.open({ files, segmentBytes: 100_000 });
      files.fault = (found) => {
        if (found === action) throw systemError('EMFILE');
      };
      await write(store, put('/a', BIG));
      await expectFailure('Unavailable', write(store, put('/b', BIG)));
      await expectFailure('Unavailable', store.checkHealth());
      expect(await write(store, put('/c', 'small'))).toBe(2);
      await expectFailure('Unavailable', write(store, put('/b', BIG)));

      files.fault = () => undefined;
      expect(await write(store, put('/b', BIG))).toBe(3);
      await store[Symbol.asyncDispose]();
      await folder.during(async (again) => expect(again.revisionNow()).toBe(3));
    },
  );

  test('with a real limit', async () => {
    await using folder = await DurableFolder.make();
    const program = join(import.meta.dirname, '../testing/exhaust-descriptors.ts');
    const run = join(import.meta.dirname, '../../../scripts/run.mjs');
    const command = 'ulimit -n 200 && exec "$0" "$@"';
    const output = execFileSync('sh', ['-c', command, process.execPath, run, program, folder.path], {
      encoding: 'utf8',
    });

    expect(output.trim().split('\n')).toEqual(['Unavailable', 'written']);
  });
});

describe('a store whose files are removed', () => {
  test.each([
    ['its folder is removed', (path: string) => rm(path, { recursive: true })],
    ['its log is removed', (path: string) => rm(join(path, 'log-0000000001'))],
  ])('refuses the next write and is unwell when %s', async (_what, remove) => {
    await using folder = await DurableFolder.make();
    const store = await folder.open();
    await write(store, put('/a', '1'));
    await store.checkHealth();
    await remove(folder.path);
    await folder.clock.advance(2);

    const failure = await write(store, put('/a', '2')).catch((error: unknown) => error);

    expect(isStoreError(failure, 'Unavailable')).toBe(true);
    expect(String(failure)).toContain('was removed');
    await expect(store.checkHealth()).rejects.toThrow('was removed');
    expect(text(store.readNow('/a'))).toBe('1');
    await store[Symbol.asyncDispose]();
    await mkdir(folder.path, { recursive: true });
  });

  test.each([
    ['moved away', (path: string) => rename(path, `${path}-moved`)],
    ['without its manifest', (path: string) => rm(join(path, 'manifest'))],
  ])('refuses writes as soon as it is looked at, when the folder is %s', async (_what, take) => {
    await using folder = await DurableFolder.make();
    const store = await folder.open();
    await take(folder.path);

    await expect(store.checkHealth()).rejects.toThrow(/was removed/);
    await expectFailure('Unavailable', write(store, put('/a', '2')));
    await store[Symbol.asyncDispose]();
    await rm(`${folder.path}-moved`, { recursive: true, force: true });
    await mkdir(folder.path, { recursive: true });
  });

  test('refuses writes within milliseconds after a write into a folder that was moved', async () => {
    await using folder = await DurableFolder.make();
    const store = await folder.open();
    await rename(folder.path, `${folder.path}-moved`);
    await write(store, put('/a', '1')); // goes into the moved folder
    await folder.clock.advance(20);

    await expectFailure('Unavailable', write(store, put('/a', '2')));
    await store[Symbol.asyncDispose]();
    await rename(`${folder.path}-moved`, folder.path);
    await folder.during(async (again) => expect(again.revisionNow()).toBe(1));
  });
});

describe('checkHealth', () => {
  test('reports a disk that does not answer', async () => {
    await using folder = await DurableFolder.make();
    const files = await faulty(folder);
    await using store = await folder.open({ files });
    let answer = (): void => undefined;
    files.fault = (action, name) => {
      if (action === 'sync' && name.startsWith('log-')) return new Promise((resolve) => (answer = resolve));
    };
    const writing = write(store, put('/a', '1'));
    await folder.clock.advance('9s');
    await store.checkHealth();
    await folder.clock.advance('2s');
    await expect(store.checkHealth()).rejects.toThrow('the disk has not answered for 11000 ms');

    files.fault = () => undefined;
    answer();
    await writing;
    await store.checkHealth();
  });

  test('reports a full disk, and recovers by itself once there is space', async () => {
    await using folder = await DurableFolder.make();
    const files = await faulty(folder);
    await using store = await folder.open({ files, segmentBytes: 1000 });
    files.fault = (_action, name) => {
      if (name.endsWith('.new')) throw systemError('ENOSPC');
    };
    await write(store, put('/a', 'x'.repeat(850)));
    await expectFailure('NoSpace', write(store, put('/a', 'x'.repeat(850))));
    await expectFailure('NoSpace', store.checkHealth());

    files.fault = () => undefined;
    await store.checkHealth();
  });
});
