import { describe, expect, test } from 'vitest';
import { crc32 } from 'node:zlib';
import { isStoreError } from '../errors.ts';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { FaultyFiles } from '../testing/faulty-files.ts';
import { expectFailure, put, text, write } from '../testing/store-under-test.ts';
import type { DurableStore } from './durable-store.ts';
import { readMark } from './manifest.ts';
import { openFolder } from './node-files.ts';
import { verifyStore } from './verify-store.ts';

const LOG = 'log-0000000001';
const HEADER = 64;

/**
 * Writes three frames and then drops the process without closing; the third is acknowledged or not.
 *
 * Returns where each frame begins, and the end.
 */
async function threeFrames(
  folder: DurableFolder,
  { isAcknowledged }: { readonly isAcknowledged: boolean },
): Promise<number[]> {
  const ends = [HEADER];
  const store = await folder.open();
  let log: Buffer = Buffer.alloc(0);
  const manifests: Buffer[] = [];
  for (const value of ['1', '2', '3']) {
    await write(store, put('/a', value), put(`/at-${value}`, value));
    log = await folder.read(LOG);
    manifests.push(await folder.read('manifest'));
    ends.push(endOfFrames(log));
  }
  await store[Symbol.asyncDispose]();
  await folder.write(LOG, log); // as it was before the orderly close
  await folder.write('manifest', manifests.at(isAcknowledged ? -1 : -2) as Buffer);
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

describe('an incomplete last frame that was not acknowledged', () => {
  test('is dropped wherever it was cut off, and the drop is logged', async () => {
    await using folder = await DurableFolder.make();
    const [, , third = 0, end = 0] = await threeFrames(folder, { isAcknowledged: false });
    const whole = await folder.read(LOG);
    const manifest = await folder.read('manifest');

    for (let cut = third + 1; cut < end; cut += 8) {
      for (const tail of [Buffer.alloc(0), Buffer.alloc(100), Buffer.alloc(whole.length - cut)]) {
        await folder.write(LOG, Buffer.concat([whole.subarray(0, cut), tail]));
        await folder.write('manifest', manifest);
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

  test('is dropped when its bytes are corrupt, and the next write takes its place', async () => {
    await using folder = await DurableFolder.make();
    const [, , third = 0, end = 0] = await threeFrames(folder, { isAcknowledged: false });
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

describe('an acknowledged log', () => {
  test('that is cut short makes the store refuse to open and report what is lost, wherever it was cut', async () => {
    await using folder = await DurableFolder.make();
    const [first = 0, second = 0, third = 0, end = 0] = await threeFrames(folder, { isAcknowledged: true });
    const whole = await folder.read(LOG);
    for (const [cut, good, revisions] of [
      [end - 1, third, 'revision 3 is'],
      [third, third, 'revision 3 is'],
      [second + 40, second, 'revisions 2 to 3 are'],
      [second, second, 'revisions 2 to 3 are'],
      [first, first, 'revisions 1 to 3 are'],
    ] as const) {
      for (const tail of [Buffer.alloc(0), Buffer.alloc(whole.length - cut)]) {
        await folder.write(LOG, Buffer.concat([whole.subarray(0, cut), tail]));

        const error = await openFailure(folder);

        expect(isStoreError(error, 'Damaged'), `cut at ${cut}: ${String(error)}`).toBe(true);
        const problem = `the log was acknowledged up to offset ${end} and ends here; ${revisions} lost`;
        expect(String(error)).toContain(`"${LOG}": ${problem} (at offset ${good})`);
        const report = await verifyStore(folder.path, folder);
        expect(report).toMatchObject({ problems: [{ file: LOG, offset: good, description: problem }], notes: [] });
      }
    }
    expect((await folder.read(LOG)).length).toBe(whole.length); // nothing was changed
  });

  test('whose newest segment, all segments, manifest or checkpoint is missing makes the store refuse to open', async () => {
    await using folder = await DurableFolder.make();
    const fill = async (store: DurableStore): Promise<void> => {
      for (let count = 0; count < 30; count++) await write(store, put(`/${count}`, 'x'.repeat(100)));
      await store.compact(25);
      await store.checkpoint();
    };
    await folder.during(fill, { segmentBytes: 1000 });
    const segments = await folder.names('log-');
    const checkpoints = await folder.names('checkpoint-');
    for (const [missing, ...others] of [
      [segments.at(-1) as string],
      [segments.at(-1) as string, ...segments.slice(0, -1)],
      ['manifest'],
      [checkpoints[0] as string],
    ] as const) {
      const kept = new Map<string, Buffer>();
      for (const name of [missing, ...others]) {
        kept.set(name, await folder.read(name));
        await folder.remove(name);
      }

      const error = await openFailure(folder);

      expect(isStoreError(error, 'Damaged'), `${missing}: ${String(error)}`).toBe(true);
      expect(String(error)).toContain(`"${missing}": it is missing`);
      expect((await verifyStore(folder.path, folder)).problems).toMatchObject([{ file: missing }]);
      for (const [name, content] of kept) await folder.write(name, content);
    }
    await folder.during(async (store) => expect(store.revisionNow()).toBe(30));
  });

  test('is exact to the last commit after the process is killed, and after a power failure 20 ms later', async () => {
    await using folder = await DurableFolder.make();
    const files = new FaultyFiles(await openFolder(folder.path));
    const synced: string[] = [];
    files.fault = (action, name) => void (action === 'sync' && synced.push(name));
    await using store = await folder.open({ files });
    await write(store, put('/a', '1'));
    synced.length = 0;
    await write(store, put('/a', '2'));
    expect(await readMark(files)).toMatchObject({ revision: 2, isClosed: false });
    expect(synced).toEqual([LOG]);

    await folder.clock.advance(20);
    expect(synced).toEqual([LOG, 'manifest']);
    await folder.clock.advance('1h'); // while nothing is written nothing is synced
    expect(synced).toEqual([LOG, 'manifest']);
  });
});

describe('a flipped bit', () => {
  test('in any frame but the last makes the store refuse to open and report the offset', async () => {
    await using folder = await DurableFolder.make();
    const [first = 0, second = 0, third = 0] = await threeFrames(folder, { isAcknowledged: true });
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

  test('in the last frame is also detected if the store was closed in good order', async () => {
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

  test('anywhere in a checkpoint makes the store refuse to open and report the offset', async () => {
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

describe('a file of a newer format version', () => {
  test.each([LOG, 'checkpoint-0000000000000001'])('is refused and left as it is: %s', async (name) => {
    await using folder = await DurableFolder.make();
    await folder.during(async (store) => {
      await write(store, put('/a', '1'));
      await write(store, put('/a', '2'));
      await store.compact(2);
      await store.checkpoint();
    });
    const content = await folder.read(name);
    content.writeUInt32LE(3, 8);
    content.writeUInt32LE(crc32(content.subarray(0, 60)), 60);
    await folder.write(name, content);

    const error = await openFailure(folder);

    expect(isStoreError(error, 'UnknownFormat'), String(error)).toBe(true);
    expect(String(error)).toContain(`"${name}": format version 3 is newer than 2`);
    expect(await folder.read(name)).toEqual(content);
    expect((await verifyStore(folder.path, folder)).problems).toMatchObject([{ file: name }]);
  });
});
