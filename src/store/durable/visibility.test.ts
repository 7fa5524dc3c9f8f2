import { describe, expect, test } from 'vitest';
import { settle } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import { DurableFolder } from '../testing/durable-folder.ts';
import { FaultyFiles } from '../testing/faulty-files.ts';
import { expectFailure, put, say, text, WatchReader, write } from '../testing/store-under-test.ts';
import type { DurableStore } from './durable-store.ts';
import { openFolder } from './node-files.ts';

const ALL = prefixRange('/');

/** A store whose disk can be blocked. */
async function slowStore(
  folder: DurableFolder,
): Promise<{ store: DurableStore; hold: () => void; release: () => void; syncs: () => number }> {
  const files = new FaultyFiles(await openFolder(folder.path));
  const store = await folder.open({ files });
  let held: Promise<void> | undefined;
  let resume: (() => void) | undefined;
  let syncs = 0;
  files.fault = (action) => {
    if (action !== 'sync') return undefined;
    syncs += 1;
    return held;
  };
  const hold = (): void => {
    held = new Promise((resolve) => {
      resume = () => {
        held = undefined;
        resolve();
      };
    });
  };
  return { store, hold, release: () => resume?.(), syncs: () => syncs };
}

/** Whether a promise has settled, after everything that can happen without it has happened. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let isDone = false;
  void promise.then(
    () => (isDone = true),
    () => (isDone = true),
  );
  await settle({ maxTurns: 20 });
  return isDone;
}

describe('a write on its way to the disk', () => {
  test('is invisible until it is there', async () => {
    await using folder = await DurableFolder.make();
    const { store, hold, release } = await slowStore(folder);
    await write(store, put('/a', '1'));
    const reader = new WatchReader(store, ALL, 2);
    const next = reader.batch();
    hold();
    const commit = write(store, put('/a', '2'), put('/b', '2'));

    expect(await isSettled(commit)).toBe(false);
    expect(await isSettled(next)).toBe(false);
    expect(text(store.readNow('/a'))).toBe('1');
    expect(await store.revision()).toBe(1);
    expect((await store.range(ALL)).count).toBe(1);
    await expectFailure('FutureRevision', store.get('/a', { at: 2 }));

    release();
    expect(await commit).toBe(2);
    expect(text(store.readNow('/a'))).toBe('2');
    expect((await next).events.map(say)).toEqual(['put /a=2@2 was 1@1', 'put /b=2@2']);
    await reader.end();
    await store[Symbol.asyncDispose]();
  });

  test('counts for the conditions of later writes, which need not wait before they are queued', async () => {
    await using folder = await DurableFolder.make();
    const { store, hold, release } = await slowStore(folder);
    hold();
    const created = store.commit({ conditions: [{ key: '/a', modRevision: 0 }], operations: [put('/a', '1')] });
    const updated = store.commit({ conditions: [{ key: '/a', modRevision: 1 }], operations: [put('/a', '2')] });
    const deleted = store.commit({
      conditions: [{ key: '/a', modRevision: 2 }],
      operations: [{ type: 'delete', key: '/a' }],
    });
    const again = store.commit({ conditions: [{ key: '/a', modRevision: 0 }], operations: [put('/a', '4')] });
    release();

    expect(await Promise.all([created, updated, deleted, again])).toEqual(
      [1, 2, 3, 4].map((revision) => ({ ok: true, revision })),
    );
    expect(store.readNow('/a')).toMatchObject({ createRevision: 4, modRevision: 4 });
    expect((await store.get('/a', { at: 2 }))?.createRevision).toBe(1);
    await store[Symbol.asyncDispose]();
  });

  test('is not revealed by a refusal before it is there', async () => {
    await using folder = await DurableFolder.make();
    const { store, hold, release } = await slowStore(folder);
    hold();
    const created = write(store, put('/a', '1'));
    const refused = store.commit({ conditions: [{ key: '/a', modRevision: 0 }], operations: [put('/a', 'mine')] });
    const nothing = store.commit({ conditions: [{ key: '/a', modRevision: 1 }], operations: [] });
    const other = await store.commit({ conditions: [{ key: '/other', modRevision: 5 }], operations: [put('/a', 'x')] });

    expect(other).toEqual({ ok: false, revision: 0, current: [undefined] });
    expect(await isSettled(refused)).toBe(false);
    expect(await isSettled(nothing)).toBe(false);
    release();
    await created;
    expect(await refused).toMatchObject({ ok: false, revision: 1, current: [{ key: '/a', modRevision: 1 }] });
    expect(await nothing).toEqual({ ok: true, revision: 1 });
    await store[Symbol.asyncDispose]();
  });

  test('takes along everything that gathers meanwhile: one sync for many', async () => {
    await using folder = await DurableFolder.make();
    const { store, hold, release, syncs } = await slowStore(folder);
    hold();
    const first = write(store, put('/first', '1'));
    await isSettled(first);
    const before = syncs();
    const rest = Array.from({ length: 500 }, (_item, index) => write(store, put(`/${index}`, 'x'.repeat(500))));
    release();

    expect(await Promise.all([first, ...rest])).toEqual(Array.from({ length: 501 }, (_item, index) => index + 1));
    expect(syncs() - before).toBeLessThanOrEqual(2);
    await store[Symbol.asyncDispose]();
  });

  test('is refused when too many writes wait already', async () => {
    await using folder = await DurableFolder.make();
    const { store, hold, release } = await slowStore(folder);
    hold();
    const waiting = Array.from({ length: 70 }, (_item, index) => write(store, put(`/${index}`, 'x'.repeat(1_000_000))));
    const results = Promise.allSettled(waiting);
    await expectFailure('Unavailable', write(store, put('/one', 'too many')));
    release();

    const accepted = (await results).filter(({ status }) => status === 'fulfilled').length;
    expect(accepted).toBeGreaterThan(60);
    expect(accepted).toBeLessThan(70);
    expect(store.revisionNow()).toBe(accepted);
    await write(store, put('/one', 'fits now'));
    await store[Symbol.asyncDispose]();
  });

  test('is completed when the store is disposed of', async () => {
    await using folder = await DurableFolder.make();
    const { store, hold, release } = await slowStore(folder);
    hold();
    const commit = write(store, put('/a', '1'));
    const closed = store[Symbol.asyncDispose]();
    expect(await isSettled(closed)).toBe(false);
    release();
    await closed;

    expect(await commit).toBe(1);
    await folder.during(async (again) => expect(text(again.readNow('/a'))).toBe('1'));
  });
});
