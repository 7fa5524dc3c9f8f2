import { describe, expect, test } from 'vitest';
import { DurableFolder } from '../testing/durable-folder.ts';
import { del, expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';
import { prefixRange } from '../key-range.ts';

/** What docs/reference/store-format.md describes. Every later version must be able to read files like these. */
const LOG = [
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
const CHECKPOINT = [
  '4b45454c53434b50 01000000 40000000', // KEELSCKP, format version 1, a header of 64 bytes
  '0100000000000000 0200000000000000 0200000000000000', // revision 1, readable from revision 2 on, 2 entries
  '8a00000000000000 01000000 e308ec5c', // the table is at 138, 1 block, checksum of the table
  '00000000 9b309fe0', // unused, checksum
  '02000000 03000000 0100000000000000 0100000000000000 0000000000000000 2f61 6f6e65', // /a = one, made and written at 1
  '02000000 03000000 0100000000000000 0100000000000000 0000000000000000 2f62 74776f', // /b = two
  '4a000000 61decafc', // the block has 74 bytes, its checksum
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

describe('format version 1', () => {
  test('is what is written', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/a', 'one'), put('/b', 'two', 60));
      await write(store, del('/b'));
      await store.compact(2);
    });
    expect((await folder.read('log-0000000001')).toString('hex')).toBe(fromHex(LOG).toString('hex'));

    await folder.during((store) => store.checkpoint());
    expect((await folder.read('checkpoint-0000000000000001')).toString('hex')).toBe(
      fromHex(CHECKPOINT).toString('hex'),
    );
    await expectTheStore(folder);
  });

  test('is read, with and without a checkpoint', async () => {
    await using folder = await DurableFolder.make();
    await folder.write('log-0000000001', fromHex(LOG));
    await expectTheStore(folder);
    await folder.write('checkpoint-0000000000000001', fromHex(CHECKPOINT));
    await expectTheStore(folder);
  });
});
