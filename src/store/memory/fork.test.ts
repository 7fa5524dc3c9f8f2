import { describe, expect, test } from 'vitest';
import { VirtualClock } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import { expectFailure, put, text, WatchReader, write } from '../testing/store-under-test.ts';
import { openMemoryStore } from './memory-store.ts';

const ALL = prefixRange('/');

describe('the memory store', () => {
  test('a fork has the contents, the history and the deadlines, and both stores are independent from then on', async () => {
    const clock = new VirtualClock();
    await using store = openMemoryStore({ clock });
    for (let count = 1; count <= 200; count++) await write(store, put(`/${count % 20}`, `${count}`));
    await write(store, put('/short', 'lived', 10));
    await store.compact(50);

    await using fork = store.fork();
    await write(store, put('/5', 'store'));
    await write(fork, put('/5', 'fork'), put('/6', 'fork'));

    expect([text(store.readNow('/5')), text(fork.readNow('/5'))]).toEqual(['store', 'fork']);
    expect(text(store.readNow('/6'))).toBe('186');
    expect(text(await fork.get('/5', { at: 100 }))).toBe('85');
    await expectFailure('Compacted', fork.get('/5', { at: 49 }));
    const reader = new WatchReader(fork, ALL, 200);
    expect(await reader.until(202)).toEqual([
      'put /0=200@200 was 180@180',
      'put /short=lived@201',
      'put /5=fork@202 was 185@185',
      'put /6=fork@202 was 186@186',
    ]);
    await clock.advance('10s');
    expect(await reader.until(203)).toEqual(['delete /short@203 was lived@201']);
    expect(store.readNow('/short')).toBeUndefined();
    await reader.end();
  });

  test('a fork may have its own clock', async () => {
    const clock = new VirtualClock();
    await using store = openMemoryStore({ clock });
    await write(store, put('/short', 'lived', 10));
    const forkClock = new VirtualClock();
    await using fork = store.fork({ clock: forkClock });

    await forkClock.advance('10s');

    expect(fork.readNow('/short')).toBeUndefined();
    expect(text(store.readNow('/short'))).toBe('lived');
  });

  test('watches stay with the store they were opened on, and closing a fork closes only the fork', async () => {
    await using store = openMemoryStore({ clock: new VirtualClock() });
    const reader = new WatchReader(store, ALL, 1);
    const next = reader.batch();
    const fork = store.fork();
    await write(fork, put('/a', 'fork'));
    await fork[Symbol.asyncDispose]();
    await write(store, put('/a', 'store'));

    expect((await next).events).toMatchObject([{ entry: { modRevision: 1 } }]);
    await expectFailure('Unavailable', fork.get('/a'));
    await reader.end();
  });

  test('reads any revision of a long history, from the milestones or from now', async () => {
    await using store = openMemoryStore({ clock: new VirtualClock() });
    const last = 10_000;
    for (let count = 1; count <= last; count++)
      await store.commit({ conditions: [], operations: [put(`/${count % 100}`, `${count}`)] });

    for (const at of [150, 4095, 4096, 4097, 6000, 8192, 9999, last]) {
      const { entries, count } = await store.range(ALL, { at });
      expect(count).toBe(100);
      expect(new Set(entries.map(text))).toEqual(
        new Set(Array.from({ length: 100 }, (_item, index) => `${at - index}`)),
      );
    }
  });

  test('keys without a time to live set no timer, and many with one set a single timer', async () => {
    const clock = new VirtualClock();
    await using store = openMemoryStore({ clock });
    await write(store, put('/a', '1'));
    expect(clock.pending).toBe(0);

    for (let count = 0; count < 100; count++) await write(store, put(`/${count}`, '1', 100 - (count % 50)));
    expect(clock.pending).toBe(1);
    await clock.advance('51s');
    expect(store.rangeNow(ALL).count).toBe(99);
    await clock.advance('100s');
    expect(store.rangeNow(ALL).count).toBe(1);
    expect(clock.pending).toBe(0);
  });

  test('drops history by its limits', async () => {
    const clock = new VirtualClock();
    await using store = openMemoryStore({ clock, history: { maxRevisions: 10, keepFor: 60_000 } });
    for (let count = 1; count <= 100; count++) await write(store, put('/a', `${count}`));

    await expectFailure('Compacted', new WatchReader(store, ALL, 90).batch());
    expect(text(await store.get('/a', { at: 91 }))).toBe('91');
    await clock.advance('61s');
    await write(store, put('/a', '101'));
    await expectFailure('Compacted', store.get('/a', { at: 99 }));
    expect(text(await store.get('/a', { at: 100 }))).toBe('100');
  });

  test('serves reads and watches for a shorter time than it keeps its history', async () => {
    const clock = new VirtualClock();
    await using origin = openMemoryStore({ clock, history: { keepFor: '1h', serveFor: '5m' } });
    for (let count = 1; count <= 10; count++) {
      await write(origin, put('/a', `${count}`));
      await clock.advance('1m');
    }
    await using fork = origin.fork();
    for (const store of [origin, fork]) {
      await write(store, put('/a', '11'));
      const { past } = store;

      await expectFailure('Compacted', store.get('/a', { at: 4 }));
      await expectFailure('Compacted', store.range(ALL, { at: 4 }));
      await expectFailure('Compacted', new WatchReader(store, ALL, 5).batch());
      expect(text(await store.get('/a', { at: 5 }))).toBe('5');
      expect((await new WatchReader(store, ALL, 6).batch()).revision).toBe(11);
      expect([past.first, past.last, past.range(ALL, 1).map(text), past.range(ALL, 4).map(text)]).toEqual([
        ...[1, 11, ['1'], ['4']],
      ]);
    }

    await clock.advance('1h');
    for (const store of [origin, fork]) {
      const { past } = store;
      await write(store, put('/a', '12'));
      expect(past.first).toBeGreaterThan(10); // a fork keeps as long as its origin
      expect(() => past.range(ALL, 4)).toThrow('has been compacted');
      expect(text(await store.get('/a', { at: past.last }))).toBe('12'); // the newest is always served
    }
  });

  test('begins with the contents of another, at its revision, without its history', async () => {
    const clock = new VirtualClock();
    await using origin = openMemoryStore({ clock });
    await write(origin, put('/a', '1'));
    await write(origin, { type: 'put', key: '/b', value: new Uint8Array([50]), ttlSeconds: 10 });
    await write(origin, put('/a', '3'));
    await using store = openMemoryStore({ clock, contents: origin.contents() });

    expect(store.revisionNow()).toBe(3);
    expect(store.readNow('/a')).toEqual(origin.readNow('/a'));
    await expectFailure('Compacted', new WatchReader(store, ALL, 3).batch());
    const reader = new WatchReader(store, ALL, 4);
    await write(store, put('/c', '4'));
    expect((await reader.batch()).revision).toBe(4);
    expect(origin.readNow('/c')).toBeUndefined();
    await clock.advance('11s');
    expect(store.rangeNow(ALL).entries.map(({ key }) => key)).toEqual(['/a', '/c']);
  });

  test('also ends a watcher by the bytes that wait for it', async () => {
    await using store = openMemoryStore({ clock: new VirtualClock(), watch: { maxQueuedBytes: 100_000 } });
    const reader = new WatchReader(store, ALL, 1);
    const first = reader.batch();
    for (let count = 0; count < 20; count++) await write(store, put('/a', 'x'.repeat(10_000)));
    await first;

    await expectFailure('SlowWatcher', reader.until(100));
  });
});
