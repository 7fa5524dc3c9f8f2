import { describe, expect, test } from 'vitest';
import { DurableFolder } from '../testing/durable-folder.ts';
import { del, expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';
import { prefixRange } from '../key-range.ts';
import { compactStore } from './offline.ts';
import { verifyStore } from './verify-store.ts';

/** The files docs/reference/store-format.md describes. Every later version must be able to read them. */
const LOG_VERSION_1 = [
  '4b45454c534c4f47 01000000 40000000', // KEELSLOG, format version 1, a header of 64 bytes
  '5a6bcd4e 00000000 0100000000000000 0000000000000000', // salt, sequence 1, after revision 0
  '0000000000000000000000000000000000000000 f77fa2f1', // unused, checksum
  '4b467231 29000000 78c26b04 01000000 0100000000000000 00a8da769b010000', // frame: 41 bytes, 1 record, revision 1, time
  '01 02000000', // a transaction of two changes
  '01 02000000 03000000 2f61 6f6e65', // put /a = one
  '02 02000000 03000000 6092db769b010000 2f62 74776f', // put /b = two, until a minute later
  '4b467231 0c000000 a4ab2b31 01000000 0200000000000000 00a8da769b010000',
  '01 01000000', // a transaction of one change
  '03 02000000 2f62', // delete /b
  '4b467231 09000000 c868ed47 01000000 0300000000000000 00a8da769b010000',
  '02 0200000000000000', // compacted up to revision 2
  '4b467231 01000000 7c899081 01000000 0300000000000000 00a8da769b010000',
  '03', // closed in good order
];
const CHECKPOINT_VERSION_1 = [
  '4b45454c53434b50 01000000 40000000', // KEELSCKP, format version 1, a header of 64 bytes
  '0100000000000000 0200000000000000 0200000000000000', // revision 1, readable from revision 2 on, 2 entries
  '8a00000000000000 01000000 e308ec5c', // the table is at 138, 1 block, checksum of the table
  '00000000 9b309fe0', // unused, checksum
  '02000000 03000000 0100000000000000 0100000000000000 0000000000000000 2f61 6f6e65', // /a = one, made and written at 1
  '02000000 03000000 0100000000000000 0100000000000000 0000000000000000 2f62 74776f', // /b = two
  '4a000000 61decafc', // the block has 74 bytes, its checksum
];

const LOG = [
  '4b45454c534c4f47 02000000 40000000', // KEELSLOG, format version 2, a header of 64 bytes
  '5a6bcd4e 00000000 0100000000000000 0000000000000000', // salt, sequence 1, after revision 0
  '0000000000000000 00000000 0000000000000000 e07bf74b', // end and salt of the segment before, unused, checksum
  ...LOG_VERSION_1.slice(3),
];
const CHECKPOINT = [
  '4b45454c53434b50 02000000 40000000', // KEELSCKP, format version 2, a header of 64 bytes
  ...CHECKPOINT_VERSION_1.slice(1, 3),
  '00000000 8c34ca5a', // unused, checksum
  ...CHECKPOINT_VERSION_1.slice(4),
];
/** Two slots, of which the one written last is the first; each is 64 bytes long and begins a page. */
const MANIFEST_SLOT = [
  '4b45454c534d414e 02000000 40000000', // KEELSMAN, format version 2, a slot of 64 bytes
  '0800000000000000 01000000 5a6bcd4e', // eighth mark, newest segment 1, its salt
  'ff00000000000000 0200000000000000', // acknowledged up to offset 255, revision 2
  '0000000000000000 01000000 5c290427', // no checkpoint, closed, checksum
];

function fromHex(lines: readonly string[]): Buffer {
  return Buffer.from(lines.join('').replaceAll(' ', ''), 'hex');
}

async function expectTheStore(folder: DurableFolder): Promise<void> {
  await folder.during(async (store) => {
    expect(store.revisionNow()).toBe(2);
    expect(store.rangeNow(prefixRange('/')).entries.map(text)).toEqual(['one']);
    expect(store.readNow('/a')).toMatchObject({ createRevision: 1, modRevision: 1 });
    await expectFailure('Compacted', store.get('/b', { at: 1 }));
    const reader = new WatchReader(store, prefixRange('/'), 2);
    expect(await reader.until(2)).toEqual(['delete /b@2 was two@1']);
    await reader.end();
  });
}

describe('format version 2', () => {
  test('is what the store writes', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/a', 'one'), put('/b', 'two', 60));
      await write(store, del('/b'));
      await store.compact(2);
    });
    expect((await folder.read('log-0000000001')).toString('hex')).toBe(fromHex(LOG).toString('hex'));
    const manifest = await folder.read('manifest');
    expect(manifest.length).toBe(4096 + 64);
    expect(manifest.toString('hex', 0, 64)).toBe(fromHex(MANIFEST_SLOT).toString('hex'));

    await folder.during((store) => store.checkpoint());
    expect((await folder.read('checkpoint-0000000000000001')).toString('hex')).toBe(
      fromHex(CHECKPOINT).toString('hex'),
    );
    await expectTheStore(folder);
  });

  test('can be read, with and without a checkpoint', async () => {
    await using folder = await DurableFolder.make();
    await folder.write('log-0000000001', fromHex(LOG));
    await folder.write('manifest', fromHex(MANIFEST_SLOT));
    await expectTheStore(folder);
    await folder.write('checkpoint-0000000000000001', fromHex(CHECKPOINT));
    await expectTheStore(folder);
  });
});

describe('format version 1, which had no manifest', () => {
  test('can be read, with and without a checkpoint, and is continued in version 2', async () => {
    for (const hasCheckpoint of [false, true]) {
      await using folder = await DurableFolder.make();
      await folder.write('log-0000000001', fromHex(LOG_VERSION_1));
      if (hasCheckpoint) await folder.write('checkpoint-0000000000000001', fromHex(CHECKPOINT_VERSION_1));
      expect((await verifyStore(folder.path, folder)).problems).toEqual([]);

      await expectTheStore(folder);

      expect(await folder.names('log-')).toEqual(['log-0000000001', 'log-0000000002']);
      expect((await folder.read('log-0000000002')).readUInt32LE(8)).toBe(2);
      expect((await verifyStore(folder.path, folder)).problems).toEqual([]);
      await expectTheStore(folder);
      await folder.remove('manifest');
      await expectFailure('Damaged', folder.open());
    }
  });

  test('may end with a truncated frame, and keeps its successor consistent', async () => {
    await using folder = await DurableFolder.make();
    await folder.write('log-0000000001', fromHex(LOG_VERSION_1).subarray(0, -10));

    await folder.during((store) => write(store, put('/c', 'three')));

    await folder.during(async (store) => expect(store.revisionNow()).toBe(3));
    await folder.remove('log-0000000002');
    await expectFailure('Damaged', folder.open());
  });

  test('is compacted into version 2', async () => {
    await using folder = await DurableFolder.make();
    await folder.write('log-0000000001', fromHex(LOG_VERSION_1));

    expect(await compactStore(folder.path, folder)).toMatchObject({ revision: 2, objects: 1 });

    await folder.during(async (store) => expect(text(store.readNow('/a'))).toBe('one'));
  });
});
