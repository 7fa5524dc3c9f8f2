import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import type { Operation, Store } from '../store.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { FaultyFiles, systemError } from '../testing/faulty-files.ts';
import { drain, linesOf, snapshotIn } from '../testing/snapshot-lines.ts';
import { del, expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { openSnapshotFile, writeSnapshotFile } from '../snapshot/snapshot-file.ts';
import { snapshotFolder } from './folder-snapshot.ts';
import { openExistingFolder } from './node-files.ts';
import { restoreFolder } from './restore-folder.ts';
import { verifyStore } from './verify-store.ts';

async function fill(folder: DurableFolder): Promise<void> {
  await folder.during(async (store) => {
    await write(store, put('/text', 'täxt'), put('/gone', '1'));
    await store.commit({
      conditions: [],
      operations: [{ type: 'put', key: '/bytes', value: Uint8Array.of(0, 255, 128) }],
    });
    await write(store, put('/text', 'täxt 2'), del('/gone'), put('/short', 'lived', 3600));
  });
}

async function dump(folder: DurableFolder): Promise<string[]> {
  await using snapshot = await snapshotFolder(folder.path, folder);
  return linesOf(snapshot);
}

async function parsed(lines: readonly string[]): Promise<Snapshot> {
  return snapshotIn(Buffer.from(lines.join('\n')));
}

describe('a snapshot of a store that is not open', () => {
  test('has one line for each key, and a last line that marks it complete', async () => {
    await using folder = await DurableFolder.make();
    await fill(folder);

    expect((await dump(folder)).map((line) => JSON.parse(line) as unknown)).toEqual([
      { keelsonStoreDump: 2, revision: 3, taken: '2026-01-01T00:00:00.000Z', stopped: true, form: 'embedded' },
      { key: '/bytes', createRevision: 2, modRevision: 2, base64: 'AP+A' },
      { key: '/short', createRevision: 3, modRevision: 3, expires: '2026-01-01T01:00:00.000Z', text: 'lived' },
      { key: '/text', createRevision: 1, modRevision: 3, text: 'täxt 2' },
      { end: true, objects: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
    ]);
  });

  test('restores to an identical store, which continues from there', async () => {
    await using folder = await DurableFolder.make();
    await using target = await DurableFolder.make();
    await fill(folder);
    const lines = await dump(folder);

    expect(await restoreFolder(target.path, await parsed(lines), target)).toEqual({ revision: 3, objects: 3 });

    expect(await dump(target)).toEqual(lines);
    expect((await verifyStore(target.path, target)).problems).toEqual([]);
    await target.during(async (store) => {
      expect(text(await store.get('/text', { at: 3 }))).toBe('täxt 2');
      await expectFailure('Compacted', store.get('/text', { at: 2 }));
      const watch = new WatchReader(store, prefixRange('/'), 4);
      expect(await write(store, put('/text', 'new'))).toBe(4);
      expect(await watch.until(4)).toEqual(['put /text=new@4 was täxt 2@3']);
      await watch.end();
      await target.clock.advance('2h');
      expect(store.readNow('/short')).toBeUndefined();
    });
    await target.during(async (store) => expect(store.revisionNow()).toBe(5));
  });

  test('keeps others out of the folder until it is disposed of', async () => {
    await using folder = await DurableFolder.make();
    await fill(folder);
    {
      await using _snapshot = await snapshotFolder(folder.path, folder);
      await expectFailure('Locked', folder.open());
    }
    await folder.during(async (store) => expect(store.revisionNow()).toBe(3));
  });

  test('is not restored over a store, and cannot be taken of a folder without one', async () => {
    await using folder = await DurableFolder.make();
    await using empty = await DurableFolder.make();
    await fill(folder);
    const lines = await dump(folder);

    await expectFailure('Unavailable', restoreFolder(folder.path, await parsed(lines), folder));

    expect(await dump(folder)).toEqual(lines);
    await expectFailure('Unavailable', snapshotFolder(empty.path, empty));
    await expectFailure('Unavailable', snapshotFolder(join(empty.path, 'absent'), empty));
  });

  test('that is incomplete or corrupt leaves no store behind', async () => {
    await using folder = await DurableFolder.make();
    await using target = await DurableFolder.make();
    await fill(folder);
    const lines = await dump(folder);
    for (const damaged of [lines.slice(0, -1), lines.map((line) => line.replace('täxt', 'text'))]) {
      await expectFailure('Damaged', restoreFolder(target.path, await parsed(damaged), target));
      expect(await target.files()).toEqual([]);
    }
    expect(await restoreFolder(target.path, await parsed(lines), target)).toEqual({ revision: 3, objects: 3 });
  });
});

test('a restore that was killed at any moment can be repeated', async () => {
  await using folder = await DurableFolder.make();
  await using target = await DurableFolder.make();
  await using killed = await DurableFolder.make();
  await fill(folder);
  const lines = await dump(folder);
  const snapshot = await parsed(lines);
  const watched = (async function* () {
    for await (const batch of snapshot.batches) {
      yield batch.slice(0, 1);
      for (const name of await target.files()) await killed.write(name, await target.read(name));
      yield batch.slice(1);
    }
  })();
  await restoreFolder(target.path, { ...snapshot, batches: watched }, target);

  expect(await killed.files()).toEqual(['checkpoint-0000000000000003.new', 'manifest']);
  expect(await restoreFolder(killed.path, await parsed(lines), killed)).toEqual({ revision: 3, objects: 3 });
  expect(await dump(killed)).toEqual(lines);
});

describe('a snapshot of an open store', () => {
  test('is of one moment, while writes go on, and its revisions are never reused', async () => {
    await using folder = await DurableFolder.make();
    await using target = await DurableFolder.make();
    await using store = await folder.open();
    const value = 'x'.repeat(2000);
    for (let index = 0; index < 500; index++) await write(store, put(`/k${index}`, value), put('/count', `${index}`));
    await using snapshot = await snapshotFolder(folder.path, folder);
    const { revision } = snapshot.head;
    for (let index = 0; index < 50; index++) await write(store, put(`/k${index}`, 'late'), put('/late', `${index}`));

    expect(revision).toBe(500);
    expect(await restoreFolder(target.path, snapshot, target)).toEqual({ revision: 1_000_500, objects: 501 });

    await target.during(async (restored) => {
      expect(await contents(restored)).toEqual(await contents(store, revision));
      await expectFailure('Compacted', restored.get('/count', { at: 500 }));
      const old = new WatchReader(restored, prefixRange('/'), 501);
      await expectFailure('Compacted', old.batch());
      expect(await write(restored, put('/count', 'on'))).toBe(1_000_501);
    });
  });

  test('that is restored later skips further ahead, past every revision that can have been written since', async () => {
    await using folder = await DurableFolder.make();
    await using target = await DurableFolder.make();
    await using store = await folder.open();
    await write(store, put('/a', '1'));
    const snapshot = await snapshotFolder(folder.path, folder);
    await target.clock.advance('24h');
    expect(await restoreFolder(target.path, snapshot, target)).toEqual({ revision: 86_400_001, objects: 1 });
  });

  test('can be restored to continue at exactly its revision', async () => {
    await using folder = await DurableFolder.make();
    await using target = await DurableFolder.make();
    await using store = await folder.open();
    await write(store, put('/a', '1'));
    const snapshot = await snapshotFolder(folder.path, folder);
    expect(await restoreFolder(target.path, snapshot, { ...target, bumpRevision: 0 })).toEqual({
      revision: 1,
      objects: 1,
    });
  });

  test('ends with an error when the store is closed meanwhile, and closing does not wait for it', async () => {
    await using folder = await DurableFolder.make();
    const store = await folder.open();
    for (let index = 0; index < 500; index++) await write(store, put(`/k${index}`, 'x'.repeat(20_000)));
    const snapshot = await snapshotFolder(folder.path, folder);
    await store[Symbol.asyncDispose]();
    await expect(drain(snapshot)).rejects.toThrow();
  });

  test('is served to at most two readers at once, and not in answer to another request', async () => {
    await using folder = await DurableFolder.make();
    await using store = await folder.open();
    for (let index = 0; index < 500; index++) await write(store, put(`/k${index}`, 'x'.repeat(20_000)));
    const first = await snapshotFolder(folder.path, folder);
    const second = await snapshotFolder(folder.path, folder);

    await expect(snapshotFolder(folder.path, folder)).rejects.toThrow('2 are being taken already');

    const lock = (await readdir(folder.path)).find((name) => name.startsWith('lock-')) ?? '';
    const stranger = connect({ path: join(folder.path, lock) });
    stranger.write('GET / HTTP/1.1\r\n');
    await once(stranger, 'close');
    expect(await drain(first)).toBe(500);
    await second[Symbol.asyncDispose]();
    await using third = await snapshotFolder(folder.path, folder);
    expect(await drain(third)).toBe(500);
  });

  test('is dropped when its reader takes nothing for 30 seconds', async () => {
    await using folder = await DurableFolder.make();
    await using store = await folder.open();
    for (let index = 0; index < 500; index++) await write(store, put(`/k${index}`, 'x'.repeat(20_000)));
    const lock = (await readdir(folder.path)).find((name) => name.startsWith('lock-')) ?? '';
    const silent = connect({ path: join(folder.path, lock) });
    const hungUp = once(silent.resume(), 'close');
    const forgetful = await snapshotFolder(folder.path, folder);

    await folder.clock.advance(31_000);

    await hungUp;
    await expect(drain(forgetful)).rejects.toThrow();
  });

  test('of any workload, taken at any moment, is the store at its revision', async () => {
    const operation = fc.tuple(fc.nat(20), fc.option(fc.nat({ max: 5000 })), fc.boolean());
    const workload = fc.array(fc.array(operation, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(workload, fc.nat(), async (transactions, when) => {
        await using folder = await DurableFolder.make();
        await using target = await DurableFolder.make();
        await using store = await folder.open();
        const middle = when % transactions.length;
        let taking: Promise<Snapshot> | undefined;
        for (const [index, steps] of transactions.entries()) {
          if (index === middle) taking = snapshotFolder(folder.path, folder);
          await store.commit({ conditions: [], operations: operationsOf(steps) });
        }
        const snapshot = (await taking) as Snapshot;
        await restoreFolder(target.path, snapshot, { ...target, bumpRevision: 0 });
        await target.during(async (restored) => {
          const { revision } = snapshot.head;
          expect(await contents(restored)).toEqual(await contents(store, revision));
          expect(restored.revisionNow()).toBe(revision);
        });
      }),
      { numRuns: 15 },
    );
  });
});

describe('the file of a snapshot', () => {
  test('appears when it is complete, readable by its owner only', async () => {
    await using folder = await DurableFolder.make();
    await using place = await DurableFolder.make();
    await fill(folder);
    const path = join(place.path, 'backup');
    await writeSnapshotFile(path, await snapshotFolder(folder.path, folder));
    await using read = await openSnapshotFile(path);
    expect(await drain(read)).toBe(3);
    expect(await readdir(place.path)).toEqual(['backup']);
  });

  test.each(['create', 'write', 'sync', 'rename'] as const)(
    'is as it was before when the disk is full at %s',
    async (failing) => {
      await using folder = await DurableFolder.make();
      await using place = await DurableFolder.make();
      await fill(folder);
      await place.write('backup', Buffer.from('the one before'));
      const files = new FaultyFiles(await openExistingFolder(place.path));
      files.fault = (action) => {
        if (action === failing) throw systemError('ENOSPC');
      };
      await using snapshot = await snapshotFolder(folder.path, folder);

      await expectFailure('NoSpace', writeSnapshotFile(join(place.path, 'backup'), snapshot, { files }));

      expect(await readdir(place.path)).toEqual(['backup']);
      expect((await place.read('backup')).toString()).toBe('the one before');
    },
  );

  test('that is missing, or in a missing folder, is reported', async () => {
    await using folder = await DurableFolder.make();
    await fill(folder);
    await using snapshot = await snapshotFolder(folder.path, folder);
    await expect(openSnapshotFile(join(folder.path, 'absent'))).rejects.toThrow('Cannot read snapshot');
    await expect(writeSnapshotFile(join(folder.path, 'absent', 'file'), snapshot)).rejects.toThrow(
      'Cannot write snapshot',
    );
  });
});

type Step = readonly [number, number | null, boolean];

function operationsOf(steps: readonly Step[]): Operation[] {
  const byKey = new Map(
    steps.map(([key, length, isShort]): [number, Operation] => [
      key,
      length === null ? del(`/k${key}`) : put(`/k${key}`, 'v'.repeat(length), isShort ? 3600 : undefined),
    ]),
  );
  return [...byKey.values()];
}

/** Everything except the deadlines. */
async function contents(store: Store, at?: number): Promise<unknown> {
  const { entries } = await store.range(prefixRange('/'), at === undefined ? {} : { at });
  return entries.map(({ key, value, createRevision, modRevision }) => [
    key,
    Buffer.from(value).toString('latin1'),
    createRevision,
    modRevision,
  ]);
}
