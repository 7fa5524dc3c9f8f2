import { describe, expect, test } from 'vitest';
import { crc32 } from 'node:zlib';
import { isStoreError } from '../errors.ts';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { expectFailure, put, text, write } from '../testing/store-under-test.ts';
import { verifyStore } from './verify-store.ts';

const LOG = 'log-0000000001';
const HEADER = 64;

/** Three frames, and then the process is gone without a word. Where each frame begins, and the end. */
async function threeFrames(folder: DurableFolder): Promise<number[]> {
  const ends = [HEADER];
  const store = await folder.open();
  const copy: Buffer[] = [];
  for (const value of ['1', '2', '3']) {
    await write(store, put('/a', value), put(`/at-${value}`, value));
    copy[0] = await folder.read(LOG);
    ends.push(endOfFrames(copy[0]));
  }
  await store[Symbol.asyncDispose]();
  await folder.write(LOG, copy[0] as Buffer); // as it was before it was closed in good order
  return ends;
}

/** Follows the lengths in the frame heads. */
function endOfFrames(content: Buffer): number {
  let at = HEADER;
  while (content.toString('latin1', at, at + 4) === 'KFr1') at += 32 + content.readUInt32LE(at + 4);
  return at;
}

async function openFailure(folder: DurableFolder): Promise<unknown> {
  return folder.open().then(
    (store) => store[Symbol.asyncDispose](),
    (error: unknown) => error,
  );
}

describe('a last frame that is not whole', () => {
  test('is dropped wherever it was cut off, and the log says so', async () => {
    await using folder = await DurableFolder.make();
    const [, , third = 0, end = 0] = await threeFrames(folder);
    const whole = await folder.read(LOG);

    for (let cut = third + 1; cut < end; cut += 3) {
      for (const tail of [Buffer.alloc(0), Buffer.alloc(100), Buffer.alloc(whole.length - cut)]) {
        await folder.write(LOG, Buffer.concat([whole.subarray(0, cut), tail]));
        folder.logged.length = 0;
        const store = await folder.open();
        expect(store.revisionNow(), `cut at ${cut}`).toBe(2);
        expect(text(store.readNow('/a'))).toBe('2');
        expect(store.readNow('/at-3')).toBeUndefined();
        expect(folder.logged).toContainEqual({
          level: 'warn',
          message: 'store log was cut off, dropping the last frame',
          fields: { file: LOG, offset: third },
        });
        await store[Symbol.asyncDispose]();
      }
    }
  });

  test('is dropped when its bytes are not those that were written, and what is written next takes its place', async () => {
    await using folder = await DurableFolder.make();
    const [, , third = 0, end = 0] = await threeFrames(folder);
    await folder.flip(LOG, end - 1);
    const report = await verifyStore(folder.path, folder);
    expect(report.problems).toEqual([]);
    expect(report.notes).toEqual([
      { file: LOG, offset: third, description: 'the last frame was cut off and is dropped' },
    ]);
    expect(report.state).toEqual({ revision: 2, objects: 3 });

    expect(await folder.during((store) => write(store, put('/a', 'three again')))).toBe(3);

    folder.logged.length = 0;
    await folder.during(async (store) => {
      expect(text(store.readNow('/a'))).toBe('three again');
      expect(store.rangeNow(prefixRange('/')).count).toBe(3);
    });
    expect(folder.logged.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

describe('a bit that has turned', () => {
  test('in any frame but the last makes the store refuse to open, and say where', async () => {
    await using folder = await DurableFolder.make();
    const [first = 0, second = 0, third = 0] = await threeFrames(folder);
    for (const [frame, next] of [
      [first, second],
      [second, third],
    ] as const) {
      for (let offset = frame; offset < next; offset += 7) {
        await folder.flip(LOG, offset);

        const error = await openFailure(folder);

        expect(isStoreError(error, 'Damaged'), `offset ${offset}: ${String(error)}`).toBe(true);
        expect(String(error)).toContain(`"${LOG}"`);
        expect(String(error)).toContain(`at offset ${frame})`);
        const report = await verifyStore(folder.path, folder);
        expect(report.problems).toEqual([
          {
            file: LOG,
            offset: frame,
            description: `${next - frame} bytes are damaged; the next good frame is at ${next}`,
          },
        ]);
        expect(report.state).toBeUndefined();
        await folder.flip(LOG, offset);
      }
    }
    expect((await verifyStore(folder.path, folder)).problems).toEqual([]);
  });

  test('in the last frame is noticed too if the store was closed in good order', async () => {
    await using folder = await DurableFolder.make();
    await folder.during((store) => write(store, put('/a', 'the last there is')));
    await folder.flip(LOG, HEADER + 50);

    expect(isStoreError(await openFailure(folder), 'Damaged')).toBe(true);
  });

  test('in a header, or in an older segment, makes the store refuse to open', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(
      async (store) => {
        for (let count = 0; count < 30; count++) await write(store, put(`/${count}`, 'x'.repeat(100)));
      },
      { segmentBytes: 1000 },
    );
    const names = await folder.names('log-');
    expect(names.length).toBeGreaterThan(2);
    const older = await folder.read(names[1] as string);
    for (const [name, offset] of [
      [names[0], 20],
      [names[1], older.length - 1],
      [names.at(-1), 40],
    ] as const) {
      await folder.flip(name as string, offset);

      const error = await openFailure(folder);

      expect(isStoreError(error, 'Damaged'), String(error)).toBe(true);
      expect(String(error)).toContain(name);
      expect((await verifyStore(folder.path, folder)).problems).toMatchObject([{ file: name }]);
      await folder.flip(name as string, offset);
    }
    await folder.remove(names[1] as string);
    await expectFailure('Damaged', folder.open());
    expect((await verifyStore(folder.path, folder)).problems).toHaveLength(1);
    await folder.remove(names[0] as string);
    await expectFailure('Damaged', folder.open());
  });

  test('anywhere in a checkpoint makes the store refuse to open, and say where', async () => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      for (let count = 0; count < 20; count++) await write(store, put(`/${count}`, 'x'.repeat(50_000)));
      await store.compact(20);
      await store.checkpoint();
    });
    const [name = ''] = await folder.names('checkpoint-');
    const { length } = await folder.read(name);
    for (let offset = 0; offset < length; offset += 49_999) {
      await folder.flip(name, offset);

      const error = await openFailure(folder);

      expect(isStoreError(error, 'Damaged'), `offset ${offset}: ${String(error)}`).toBe(true);
      expect(String(error)).toContain(name);
      expect((await verifyStore(folder.path, folder)).problems).toMatchObject([{ file: name }]);
      await folder.flip(name, offset);
    }
    await folder.write(name, (await folder.read(name)).subarray(0, length - 1));
    expect(isStoreError(await openFailure(folder), 'Damaged')).toBe(true);
  });
});

describe('a file of a newer format', () => {
  test.each([LOG, 'checkpoint-0000000000000001'])('is refused and left as it is: %s', async (name) => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/a', '1'));
      await write(store, put('/a', '2'));
      await store.compact(2);
      await store.checkpoint();
    });
    const content = await folder.read(name);
    content.writeUInt32LE(2, 8);
    content.writeUInt32LE(crc32(content.subarray(0, 60)), 60);
    await folder.write(name, content);

    const error = await openFailure(folder);

    expect(isStoreError(error, 'UnknownFormat'), String(error)).toBe(true);
    expect(String(error)).toContain(`"${name}": format version 2 is newer than 1`);
    expect(await folder.read(name)).toEqual(content);
    expect((await verifyStore(folder.path, folder)).problems).toMatchObject([{ file: name }]);
  });
});
