import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import { describeStore } from '../testing/store-contract.ts';
import { del, expectFailure, put, say, text, WatchReader, write } from '../testing/store-under-test.ts';
import { TestProxy } from '../../wire/testing/test-proxy.ts';
import { describeWithEtcd, openStore } from '../etcd/testing/describe-with-etcd.ts';
import { MirrorStore } from './mirror-store.ts';

describeWithEtcd('etcd', (etcd) => {
  let corners = 0;
  const corner = (): string => `/corner-${++corners}/`;
  const openMirror = (root: string): MirrorStore => new MirrorStore(openStore(etcd()), { root });

  describeStore('the mirror of an etcd store', async (options) => {
    const { watch, limits } = options ?? {};
    const prefix = corner();
    const store = new MirrorStore(openStore(etcd(), { limits }), { root: prefix, watch });
    // a watch that reads missed events from etcd queues nothing, so for that test the copy must exist before
    if (watch !== undefined) await store.get(prefix);
    return {
      store,
      prefix,
      advance: async () => undefined, // etcd uses real time; the tests wait for its events
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  });

  describe('the mirror of an etcd store', () => {
    test('sees what others wrote before the read', async () => {
      const root = corner();
      await using store = openMirror(root);
      await using other = openStore(etcd());

      for (let count = 0; count < 100; count++) {
        const revision = await write(other, put(`${root}a`, String(count)));
        expect(text(await store.get(`${root}a`))).toBe(String(count));
        expect((await store.range(prefixRange(root))).revision).toBeGreaterThanOrEqual(revision);
      }
    });

    test('does not wait for events that never come when other keys are written', async () => {
      const root = corner();
      await using store = openMirror(root);
      await using other = openStore(etcd());
      await write(store, put(`${root}a`, '1'));

      for (let count = 0; count < 20; count++) {
        const revision = await write(other, put('/elsewhere', String(count)));
        expect(text(await store.get(`${root}a`))).toBe('1');
        expect(store.revisionNow()).toBeGreaterThanOrEqual(revision);
      }
    });

    test('gives every reader the same entry and the same value: the array that was written here', async () => {
      const root = corner();
      await using store = openMirror(root);
      await using other = openStore(etcd());
      const before = Buffer.from('written before the mirror is there');
      await store.commit({ conditions: [], operations: [{ type: 'put', key: `${root}b`, value: before }] });
      expect(store.readNow(`${root}b`)?.value).toBe(before);
      const value = Buffer.from('written here');
      const watched = new WatchReader(store, prefixRange(root), (await store.revision()) + 1);
      const next = watched.batch();

      await store.commit({ conditions: [], operations: [{ type: 'put', key: `${root}a`, value }] });

      const entry = store.readNow(`${root}a`);
      expect(entry?.value).toBe(value);
      expect(await store.get(`${root}a`)).toBe(entry);
      expect((await store.range(prefixRange(root))).entries[0]).toBe(entry);
      const [event] = (await next).events;
      expect(event?.type === 'put' && event.entry).toBe(entry);
      const refused = await store.commit({ conditions: [{ key: `${root}a`, modRevision: 1 }], operations: [] });
      expect(!refused.ok && refused.current[0]).toBe(entry);
      await write(other, put(`${root}a`, 'written there'));
      const second = watched.batch();
      expect((await second).events[0]?.previous).toBe(entry);
      expect(await store.get(`${root}a`)).toBe(await store.get(`${root}a`));
      await watched.end();
    });

    test('watches and reads at revisions from before it was made come from etcd, without a gap', async () => {
      const root = corner();
      await using other = openStore(etcd());
      const first = await write(other, put(`${root}a`, '1'));
      for (let count = 2; count <= 50; count++) await write(other, put(`${root}a`, String(count)));
      await using store = openMirror(root);
      await store.get(`${root}a`);
      const reader = new WatchReader(store, prefixRange(root), first);
      let last = 0;
      for (let count = 51; count <= 60; count++) last = await write(other, put(`${root}a`, String(count)));

      const lines = await reader.until(last);

      expect(lines.map((line) => Number(/=(\d+)@/.exec(line)?.[1]))).toEqual(
        Array.from({ length: 60 }, (_item, index) => index + 1),
      );
      expect(lines[0]).toBe(`put ${root}a=1@${first}`);
      expect(lines[1]).toBe(`put ${root}a=2@${first + 1} was 1@${first}`);
      expect(text(await store.get(`${root}a`, { at: first + 6 }))).toBe('7');
      expect((await store.range(prefixRange(root), { at: first + 6 })).entries.map(text)).toEqual(['7']);
      await reader.end();
    });

    test('keys outside of it are read and watched in etcd', async () => {
      const [root, elsewhere] = [corner(), corner()];
      await using store = openMirror(root);
      const from = (await store.revision()) + 1;
      const reader = new WatchReader(store, prefixRange(elsewhere), from);
      const wide = new WatchReader(store, prefixRange('/'), from);

      const revision = await write(store, put(`${elsewhere}a`, '1'), put(`${root}a`, '2'));

      expect(text(await store.get(`${elsewhere}a`))).toBe('1');
      expect((await store.range(prefixRange(elsewhere))).entries.map(text)).toEqual(['1']);
      expect((await reader.batch()).events.map(say)).toEqual([`put ${elsewhere}a=1@${revision}`]);
      expect((await wide.batch()).events).toHaveLength(2);
      expect(() => store.readNow(`${elsewhere}a`)).toThrow(/is mirrored/);
      expect(() => store.rangeNow(prefixRange('/'))).toThrow(/is mirrored/);
      await reader.end();
      await wide.end();
    });

    test('a mirror that missed compacted events is rebuilt; its watches end with Compacted, its reads continue', async () => {
      const root = corner();
      await using proxy = await TestProxy.start(etcd().endpoint);
      await using store = new MirrorStore(openStore(etcd(), { endpoints: [proxy.address] }), { root });
      await using other = openStore(etcd());
      await write(other, put(`${root}kept`, '1'), put(`${root}gone`, '1'));
      const kept = await store.get(`${root}kept`);
      const reader = new WatchReader(store, prefixRange(root), (kept?.modRevision ?? 0) + 1);
      const waiting = reader.batch();
      proxy.refuse();
      await write(other, del(`${root}gone`), put(`${root}new`, '2'));
      await other.compact(await write(other, put(`${root}newer`, '3')));

      proxy.accept();

      await expectFailure('Compacted', waiting);
      expect((await store.range(prefixRange(root))).entries.map(({ key }) => key.slice(root.length))).toEqual([
        'kept',
        'new',
        'newer',
      ]);
      expect(await store.get(`${root}kept`)).toBe(kept);
      const again = new WatchReader(store, prefixRange(root), (await store.revision()) + 1);
      const next = again.batch();
      const revision = await write(other, del(`${root}new`));
      expect((await next).events).toMatchObject([{ type: 'delete', key: `${root}new`, revision }]);
      await again.end();
    });

    test('a mirror that lost its connection for a while continues where it was', async () => {
      const root = corner();
      await using proxy = await TestProxy.start(etcd().endpoint);
      await using store = new MirrorStore(openStore(etcd(), { endpoints: [proxy.address] }), { root });
      await using other = openStore(etcd());
      const first = await write(other, put(`${root}a`, '0'));
      const reader = new WatchReader(store, prefixRange(root), first);
      let last = first;
      for (let round = 1; round <= 5; round++) {
        expect(text(await store.get(`${root}a`))).toBe(String((round - 1) * 10));
        proxy.refuse();
        for (let count = 1; count <= 10; count++) {
          last = await write(other, put(`${root}a`, String((round - 1) * 10 + count)));
        }
        proxy.accept();
      }

      const lines = await reader.until(last);

      expect(lines.map((line) => /=(\d+)@/.exec(line)?.[1])).toEqual(
        Array.from({ length: 51 }, (_item, index) => String(index)),
      );
      await reader.end();
    });

    test('is Unavailable, after a while, when etcd is away', async () => {
      const root = corner();
      const direct = openStore(etcd(), { requestTimeout: 300 });
      await using store = new MirrorStore(direct, { root, maxWaitMs: 300 });
      await write(store, put(`${root}a`, '1'));
      await etcd().kill();

      await expectFailure('Unavailable', store.get(`${root}a`));
      await expectFailure('Unavailable', store.range(prefixRange(root)));
      expect(text(store.readNow(`${root}a`))).toBe('1');

      await etcd().restart();
      expect(text(await store.get(`${root}a`))).toBe('1');
    });
  });
});
