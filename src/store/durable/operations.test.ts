import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { linesOf } from '../testing/snapshot-lines.ts';
import { bytes, del, expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';
import { snapshotFolder } from './folder-snapshot.ts';
import { compactStore } from './offline.ts';
import { repairStore } from './repair-store.ts';
import { verifyStore } from './verify-store.ts';

const ALL = prefixRange('/');

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

describe('verifyStore', () => {
  test('reports what the files hold, and changes nothing', async () => {
    await using folder = await DurableFolder.make();
    await fill(folder);
    const before = await folder.read('log-0000000001');

    expect(await verifyStore(folder.path, folder)).toEqual({
      files: [
        {
          name: 'manifest',
          kind: 'manifest',
          bytes: 4160,
          contents: `written to offset ${before.length} of log-0000000001, revision 3, closed in good order`,
        },
        { name: 'log-0000000001', kind: 'segment', bytes: before.length, contents: '4 frames, revisions 1 to 3' },
      ],
      problems: [],
      notes: [],
      state: { revision: 3, objects: 3 },
    });
    await folder.during(async (store) => {
      await store.compact(3);
      await store.checkpoint();
    });
    await folder.write('checkpoint-0000000000000009.new', bytes('half'));
    expect(await verifyStore(folder.path, folder)).toMatchObject({
      files: [{ kind: 'manifest' }, { kind: 'checkpoint', contents: '3 entries at revision 2' }, { kind: 'segment' }],
      notes: [{ file: 'checkpoint-0000000000000009.new', description: 'was never completed' }],
      state: { revision: 3, objects: 3 },
    });
  });

  test('refuses a missing folder', async () => {
    await using folder = await DurableFolder.make();
    await expectFailure('Unavailable', verifyStore(join(folder.path, 'absent'), folder));
    expect(await readdir(folder.path)).toEqual([]);
  });
});

describe('a read-only medium', () => {
  test('is verified and dumped, and not repaired, compacted or opened', async (context) => {
    await using folder = await DurableFolder.make();
    await fill(folder);
    const lines = await dump(folder);
    if (spawnSync('mount', ['--bind', '-o', 'ro', folder.path, folder.path]).status !== 0) {
      context.task.meta.skipReason = 'mounting a folder is not allowed';
      context.skip();
    }
    try {
      expect(await verifyStore(folder.path, folder)).toMatchObject({
        problems: [],
        state: { revision: 3, objects: 3 },
      });
      expect(await dump(folder)).toEqual(lines);
      expect(await repairStore(folder.path, { ...folder, acceptLoss: false })).toMatchObject({
        losses: [],
        objects: 3,
      });
      await expect(compactStore(folder.path, folder)).rejects.toThrow('EROFS');
      await expectFailure('Unavailable', folder.open());
    } finally {
      spawnSync('umount', [folder.path]);
    }
  });
});

describe('repairStore', () => {
  test('leaves a sound store as it is', async () => {
    await using folder = await DurableFolder.make();
    await fill(folder);
    const before = await folder.read('log-0000000001');

    const report = await repairStore(folder.path, { ...folder, acceptLoss: true });

    expect(report).toEqual({ losses: [], objects: 3, revision: 3, movedTo: undefined });
    expect(await folder.read('log-0000000001')).toEqual(before);
  });

  test('reports what a damaged store has lost, and continues without it only with acceptLoss', async () => {
    await using folder = await DurableFolder.make();
    await fill(folder);
    const log = await folder.read('log-0000000001');
    await folder.write('log-0000000001', log.subarray(0, log.lastIndexOf('KFr1', log.length - 40)));
    const files = await readdir(folder.path);
    const losses = [
      expect.stringContaining('the log was acknowledged up to offset 319 and ends here; revision 3 is lost'),
      'revision 3 is missing',
    ];

    expect(await repairStore(folder.path, { ...folder, acceptLoss: false })).toMatchObject({ losses, objects: 3 });
    expect(await readdir(folder.path)).toEqual(files);
    await expectFailure('Damaged', folder.open());

    const repaired = await repairStore(folder.path, { ...folder, acceptLoss: true });
    expect(repaired).toMatchObject({ losses, objects: 3, revision: 1_000_003 });
    expect((await readdir(join(folder.path, repaired.movedTo ?? ''))).sort()).toEqual(['log-0000000001', 'manifest']);
    await folder.during(async (store) => {
      expect(store.rangeNow(ALL).entries.map(({ key }) => key)).toEqual(['/bytes', '/gone', '/text']);
      await expectFailure('Compacted', new WatchReader(store, ALL, 3).batch());
      expect(await write(store, put('/text', 'after'))).toBe(1_000_004);
    });
  });

  test('keeps what comes after the damage, and the readable parts of a damaged checkpoint', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      for (let count = 0; count < 20; count++) await write(store, put(`/a-${count}`, 'x'.repeat(50_000)));
      await store.compact(20);
      await store.checkpoint();
      for (let count = 0; count < 3; count++) await write(store, put(`/b-${count}`, '1'));
    });
    await folder.flip('checkpoint-0000000000000019', 300_000);
    const log = await folder.read('log-0000000001');
    await folder.flip('log-0000000001', log.indexOf('/b-1'));

    const report = await repairStore(folder.path, { ...folder, acceptLoss: true });

    expect(report.losses.length).toBeGreaterThanOrEqual(3);
    expect(report.losses).toContain('revision 22 is missing');
    await folder.during(async (store) => {
      expect(store.rangeNow(prefixRange('/b-')).entries.map(({ key }) => key)).toEqual(['/b-0', '/b-2']);
      expect(store.rangeNow(prefixRange('/a-')).count).toBeGreaterThan(12);
      expect(store.rangeNow(prefixRange('/a-')).count).toBeLessThan(20);
    });
  });
});

describe('compactStore', () => {
  test('keeps only the newest state, in one file', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(
      async (store) => {
        for (let count = 1; count <= 50; count++)
          await write(store, put('/a', `${count} ${'x'.repeat(1000)}`), put('/b', 'x', 3600));
      },
      { segmentBytes: 10_000 },
    );

    const report = await compactStore(folder.path, folder);

    expect(report).toMatchObject({ revision: 50, objects: 2 });
    expect(report.bytesBefore).toBeGreaterThan(50_000);
    expect(report.bytesAfter).toBeLessThan(2000);
    expect(await folder.names('log-')).toEqual([]);
    expect(await folder.names('checkpoint-')).toEqual(['checkpoint-0000000000000050']);
    await folder.during(async (store) => {
      expect(store.revisionNow()).toBe(50);
      expect(text(store.readNow('/a'))?.slice(0, 3)).toBe('50 ');
      await expectFailure('Compacted', new WatchReader(store, ALL, 50).batch());
      const reader = new WatchReader(store, ALL, 51);
      await folder.clock.advance('1h');
      expect(await reader.until(51)).toEqual(['delete /b@51 was x@50']);
      await reader.end();
    });
    expect((await compactStore(folder.path, folder)).revision).toBe(51);
  });
});
