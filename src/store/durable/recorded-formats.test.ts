import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import type { Snapshot } from '../snapshot/snapshot.ts';
import { openSnapshotFile } from '../snapshot/snapshot-file.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { recordedWorkload } from '../testing/recorded-workload.ts';
import { linesOf } from '../testing/snapshot-lines.ts';
import { expectFailure, put, WatchReader, write } from '../testing/store-under-test.ts';
import { FORMAT_VERSION } from './file-header.ts';
import { snapshotFolder } from './folder-snapshot.ts';
import { restoreFolder } from './restore-folder.ts';
import { verifyStore } from './verify-store.ts';

const RECORDED = join(import.meta.dirname, 'testdata');
const VERSIONS = Array.from({ length: FORMAT_VERSION }, (_item, index) => index + 1);

/** One line for each key: value, revisions and deadline. */
async function keysOf(snapshot: Snapshot): Promise<string[]> {
  await using _closed = snapshot;
  return (await linesOf(snapshot)).slice(1, -1);
}

/** The same lines from a store that this version has filled in the same way. */
async function expectedKeys(): Promise<string[]> {
  await using folder = await DurableFolder.make();
  await folder.during(recordedWorkload);
  return keysOf(await snapshotFolder(folder.path, folder));
}

async function recordedFolder(version: number): Promise<DurableFolder> {
  const folder = await DurableFolder.make();
  await cp(join(RECORDED, `version-${version}`), folder.path, { recursive: true });
  return folder;
}

test.each(VERSIONS)('a folder written in version %i is opened, upgraded and continued', async (version) => {
  await using folder = await recordedFolder(version);
  const expected = await expectedKeys();
  expect((await verifyStore(folder.path, folder)).problems).toEqual([]);
  expect(await keysOf(await snapshotFolder(folder.path, folder))).toEqual(expected);

  await folder.during(async (store) => {
    expect(store.revisionNow()).toBe(90);
    const watch = new WatchReader(store, prefixRange('/registry/'), 60);
    expect(await watch.until(90)).toHaveLength(37); // 31 puts, 4 deletions and 2 events
    await watch.end();
    await write(store, put('/registry/new', '1'));
  });

  await folder.during(async (store) => {
    expect(store.revisionNow()).toBe(91);
    await folder.clock.advance('2h');
    expect(store.rangeNow(prefixRange('/registry/events/')).count).toBe(0);
  });
  expect((await verifyStore(folder.path, folder)).problems).toEqual([]);
  const newest = (await folder.names('log-')).at(-1) ?? '';
  expect((await folder.read(newest)).readUInt32LE(8)).toBe(FORMAT_VERSION);
});

test.each([1, 2])('a snapshot written in version %i restores to the same store', async (version) => {
  await using folder = await DurableFolder.make();
  const snapshot = await openSnapshotFile(join(RECORDED, `snapshot-${version}.jsonl`));
  expect(await restoreFolder(folder.path, snapshot, folder)).toMatchObject({ revision: 90 });
  expect(await keysOf(await snapshotFolder(folder.path, folder))).toEqual(await expectedKeys());
});

test('every operation refuses a folder of a newer version with a clear message, and leaves it as it is', async () => {
  for (const name of await readdir(join(RECORDED, `version-${FORMAT_VERSION}`))) {
    await using folder = await recordedFolder(FORMAT_VERSION);
    const content = await folder.read(name);
    const headers = name === 'manifest' ? [0, 4096] : [0];
    for (const at of headers) {
      content.writeUInt32LE(FORMAT_VERSION + 1, at + 8);
      content.writeUInt32LE(crc32(content.subarray(at, at + 60)), at + 60);
    }
    await folder.write(name, content);

    await expectFailure('UnknownFormat', folder.open());
    await expectFailure('UnknownFormat', snapshotFolder(folder.path, folder));
    await expect(folder.open()).rejects.toThrow(
      `format version ${FORMAT_VERSION + 1} is newer than ${FORMAT_VERSION}, the newest that this version of Keelson knows`,
    );
    for (const other of await readdir(join(RECORDED, `version-${FORMAT_VERSION}`))) {
      const before = other === name ? content : await readFile(join(RECORDED, `version-${FORMAT_VERSION}`, other));
      expect(await folder.read(other)).toEqual(before);
    }
  }
});
