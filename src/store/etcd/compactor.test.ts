import { expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { expectFailure, put, text, write } from '../testing/store-under-test.ts';
import { Compactor, FIRST_ROUND, takeRound } from './compactor.ts';
import { describeWithEtcd, openStore } from './testing/describe-with-etcd.ts';

const KEY = 'compact_rev_key';

describeWithEtcd('a compactor', (etcd) => {
  test('takes turns with other servers: one wins each round, and the losers learn the current version', async () => {
    await using store = openStore(etcd());
    const { client } = store;
    const known = await write(store, put('/a', '1'));

    const first = await takeRound(client, FIRST_ROUND);
    expect(first).toEqual({ next: { version: 1, revision: known + 1 }, compactTo: 0 }); // nothing is old enough yet
    const late = await takeRound(client, FIRST_ROUND);
    expect(late).toEqual({ next: { version: 1, revision: known + 1 }, compactTo: 0 });

    await write(store, put('/a', '2'));
    const second = await takeRound(client, first.next);
    expect(second).toEqual({ next: { version: 2, revision: known + 3 }, compactTo: known + 1 });
    expect(text(await store.get(KEY))).toBe(String(known + 1));
    const behind = await takeRound(client, late.next);
    expect(behind.compactTo).toBe(0);
    const takesOver = await takeRound(client, behind.next);
    expect(takesOver).toMatchObject({ next: { version: 3 }, compactTo: known + 3 });
  });

  test('compacts every five minutes up to the revision of five minutes before', async () => {
    await using store = openStore(etcd());
    const clock: VirtualClock = new VirtualClock({
      settle: async () => {
        while (clock.pending === 0) await nextTurn(); // the compactor calls etcd, then sleeps again
      },
    });
    const stop = new AbortController();
    const first = await write(store, put('/b', '1'));
    const running = new Compactor(store.client, { clock }).run(stop.signal);

    await clock.advance('5m'); // finds that another server has compacted already
    await clock.advance('5m');
    const second = await write(store, put('/b', '2'));
    const third = await write(store, put('/b', '3'));
    expect(text(await store.get('/b', { at: first }))).toBe('1');
    await clock.advance('5m');
    await expectFailure('Compacted', store.get('/b', { at: first - 1 }));
    await clock.advance('5m');
    await expectFailure('Compacted', store.get('/b', { at: second }));
    expect(text(await store.get('/b', { at: Number(text(await store.get(KEY))) }))).toBe('3');
    expect(Number(text(await store.get(KEY)))).toBeGreaterThan(third);
    stop.abort();
    await running;
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
