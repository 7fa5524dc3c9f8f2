import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectFailure } from '../testing/store-under-test.ts';
import { drain, linesOf, snapshotIn } from '../testing/snapshot-lines.ts';
import type { Snapshot, SnapshotEntry } from './snapshot.ts';
import { inBatches } from './snapshot-bytes.ts';

const KEYS = ['/a', '/b/ä', '/c'];

function snapshot(entries: readonly SnapshotEntry[]): Snapshot {
  return {
    head: { revision: 9, isOfClosedStore: false, form: 'etcd', etcdPrefix: '/other', takenMs: 1_800_000_000_000 },
    batches: inBatches(entries),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function some(): SnapshotEntry[] {
  return KEYS.map((key, index) => ({
    entry: { key, value: Buffer.from([index, 0xff, 0x0a]), createRevision: 1, modRevision: index + 1 },
    deadlineMs: index === 1 ? 1_900_000_000_000 : 0,
  }));
}

async function content(entries = some()): Promise<Buffer> {
  return Buffer.from(`${(await linesOf(snapshot(entries))).join('\n')}\n`);
}

test('a snapshot is read as it was written, in pieces of any size', async () => {
  const bytes = await content();
  for (const size of [1, 7, bytes.length]) {
    const read = await snapshotIn(bytes, size);
    const entries: SnapshotEntry[] = [];
    for await (const batch of read.batches) entries.push(...batch);

    expect(read.head).toEqual(snapshot([]).head);
    expect(entries).toMatchObject(some());
  }
});

test('any flipped bit, any truncation and any addition is refused', async () => {
  const whole = await content();
  const readAll = async (bytes: Buffer): Promise<number> => drain(await snapshotIn(bytes));
  await expect(readAll(whole)).resolves.toBe(KEYS.length);
  for (let at = 0; at < whole.length - 1; at++) {
    const flipped = Buffer.from(whole);
    flipped[at] = (flipped[at] as number) ^ 1;
    await expect(readAll(flipped), `bit turned at ${at}`).rejects.toThrow('Cannot read the snapshot');
    await expectFailure('Damaged', readAll(whole.subarray(0, at)));
  }
  await expectFailure('Damaged', readAll(Buffer.concat([whole, whole])));
});

test('a file that is not a snapshot is refused without reading all of it', async () => {
  const endless = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 2000 }), 50).map((bytes) => Buffer.from(bytes));
  for (const bytes of [...endless, Buffer.alloc(0), Buffer.from('SQLite format 3\0'), Buffer.from('{}\n')])
    await expectFailure('Damaged', snapshotIn(bytes));
  let read = 0;
  const zeros = (async function* () {
    for (;;) yield Buffer.alloc((read++, 1024 * 1024), 0x20);
  })();
  const { readSnapshot } = await import('./read-snapshot.ts');
  await expectFailure('Damaged', readSnapshot(zeros));
  expect(read).toBeLessThan(50);
});

describe('a snapshot of which', () => {
  test.each([
    ['line 1 is not JSON', ['{']],
    ['line 1 is not an object', ['7']],
    ['line 1 is not the head', [entry('/a', 1)]],
    ['line 1 must have a whole number as revision, got "1"', ['{"keelsonStoreDump":1,"revision":"1"}']],
    ['line 2 has no key', [head(1), '{"createRevision":1,"modRevision":1,"text":""}']],
    ['line 2 must have either text or base64', [head(1), '{"key":"/a","createRevision":1,"modRevision":1}']],
    ['line 2 has revisions that cannot be', [head(2), '{"key":"/a","createRevision":2,"modRevision":1,"text":""}']],
    ['line 2 is of revision 2, after that of the snapshot', [head(1), entry('/a', 2)]],
    ['line 3 has key "/a" again', [head(1), entry('/a', 1), entry('/a', 1)]],
    ['line 3 has key "/a" again, or out of order', [head(1), entry('/b', 1), entry('/a', 1)]],
    ['line 2 has a time that cannot be read: "soon"', [head(1), entry('/a', 1).replace('}', ',"expires":"soon"}')]],
    ['line 3 counts 2 objects, there are 1', [head(1), entry('/a', 1), '{"end":true,"objects":2}']],
    ['line 3 comes after the end', [head(1), '{"end":true,"objects":0}', entry('/a', 1)]],
    ['the file of 2 lines has no end: it is not whole', [head(1), entry('/a', 1)]],
    ['the file of 0 lines has no end: it is not whole', []],
    ['the checksum is not that of its lines', [head(1), `{"end":true,"objects":0,"sha256":"00"}`]],
  ])('%s is refused', async (message, lines) => {
    const reading = snapshotIn(Buffer.from(lines.join('\n'))).then(drain);
    await expect(reading).rejects.toThrow(message);
  });

  test('the version is newer is refused with a clear message', async () => {
    const newer = snapshotIn(Buffer.from('{"keelsonStoreDump":3,"revision":1}\n'));
    await expectFailure('UnknownFormat', newer);
    await expect(newer).rejects.toThrow('line 1 says version 3, the newest that this version of Keelson knows is 2');
  });

  test('the version is 1, which had no checksum, is read', async () => {
    const read = await snapshotIn(Buffer.from([head(1), entry('/a', 1), '{"end":true,"objects":1}', ''].join('\n')));
    expect(read.head).toEqual({ revision: 1, isOfClosedStore: true, form: 'embedded', takenMs: 0 });
    await expect(drain(read)).resolves.toBe(1);
  });
});

function head(revision: number): string {
  return `{"keelsonStoreDump":1,"revision":${revision}}`;
}

function entry(key: string, revision: number): string {
  return JSON.stringify({ key, createRevision: revision, modRevision: revision, text: '' });
}
