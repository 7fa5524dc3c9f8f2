import { describe, expect, test } from 'vitest';
import { prefixRange } from '../key-range.ts';
import { describeStore } from '../testing/store-contract.ts';
import { del, expectFailure, put, say, text, WatchReader, write } from '../testing/store-under-test.ts';
import type { EtcdStore } from './etcd-store.ts';
import { int64, MessageTable, nested, repeated } from '../../wire/protobuf/index.ts';
import { describeWithEtcd, openStore } from './testing/describe-with-etcd.ts';

describeWithEtcd('etcd', (etcd) => {
  let corners = 0;
  const corner = (): string => `/corner-${++corners}/`;

  describeStore('the etcd store', async (options) => {
    const store = openStore(etcd(), options);
    return {
      store,
      prefix: corner(),
      advance: async () => undefined, // etcd uses real time; the tests wait for its events
      [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
    };
  });

  describe('the etcd store', () => {
    test('reads a long range in pages, all at one revision', async () => {
      await using store = openStore(etcd());
      const prefix = corner();
      const names = Array.from({ length: 1700 }, (_item, index) => `${prefix}${String(index).padStart(4, '0')}`);
      for (let start = 0; start < names.length; start += 100) {
        await write(store, ...names.slice(start, start + 100).map((key) => put(key, 'x'.repeat(50))));
      }
      const revision = await store.revision();
      const pages: number[] = [];

      const keys: string[] = [];
      for await (const page of store.pages(prefixRange(prefix))) {
        pages.push(page.entries.length);
        keys.push(...page.entries.map(({ key }) => key));
        expect(page).toMatchObject({ revision, count: names.length });
        await write(store, del(names[1600] as string));
      }

      expect(pages.length).toBeGreaterThan(1);
      expect(keys).toEqual(names);
      const result = await store.range(prefixRange(prefix), { limit: 1200, at: revision });
      expect(result).toMatchObject({ more: true, count: names.length, revision: await store.revision() });
      expect(result.entries.map(({ key }) => key)).toEqual(names.slice(0, 1200));
    });

    test('asks for smaller pages when an answer would be too large', async () => {
      await using store = openStore(etcd(), { maxReceiveBytes: 300_000 });
      const prefix = corner();
      for (let index = 0; index < 10; index++) await write(store, put(`${prefix}${index}`, 'x'.repeat(100_000)));

      const { entries } = await store.range(prefixRange(prefix));

      expect(entries.map(({ key }) => key.at(-1)).join('')).toBe('0123456789');
      await using narrow = openStore(etcd(), { maxReceiveBytes: 50_000 });
      await expectFailure('TooLarge', narrow.range(prefixRange(prefix)));
    });

    test('a watch that catches up on many megabytes gets whole revisions', async () => {
      await using store = openStore(etcd());
      const prefix = corner();
      const large = 'x'.repeat(600_000);
      const first = await write(store, put(`${prefix}a`, large), put(`${prefix}b`, large));
      for (let count = 0; count < 9; count++) await write(store, put(`${prefix}a`, large), put(`${prefix}b`, large));
      const reader = new WatchReader(store, prefixRange(prefix), first);
      const events = new Map<number, number>();

      for (let revision = 0; revision < first + 9;) {
        const batch = await reader.batch();
        for (const event of batch.events) {
          const at = event.type === 'put' ? event.entry.modRevision : event.revision;
          expect(at).toBeGreaterThan(revision);
          events.set(at, (events.get(at) ?? 0) + 1);
        }
        revision = batch.revision;
      }

      expect([...events]).toEqual(Array.from({ length: 10 }, (_item, index) => [first + index, 2]));
      await reader.end();
    });

    test('a request that is too large for etcd is TooLarge', async () => {
      const limits = { maxTransactionBytes: 100_000_000, maxOperations: 1000 };
      await using store = openStore(etcd(), { limits });
      const prefix = corner();
      const many = Array.from({ length: 200 }, (_item, index) => put(`${prefix}${index}`, '1'));

      await expectFailure(
        'TooLarge',
        store.commit({ conditions: [], operations: [put(`${prefix}a`, 'x'.repeat(2_000_000))] }),
      );
      await expectFailure('TooLarge', store.commit({ conditions: [], operations: many }));
    });

    test('a watch from before a compaction reports what was compacted', async () => {
      await using store = openStore(etcd());
      const prefix = corner();
      const first = await write(store, put(`${prefix}a`, '1'));
      await write(store, put(`${prefix}a`, '2'));
      const third = await write(store, put(`${prefix}a`, '3'));
      await store.compact(third);

      await expect(new WatchReader(store, prefixRange(prefix), first).batch()).rejects.toThrow(
        `Cannot watch from revision ${first}: what was before revision ${third} has been compacted`,
      );
    });

    test('a watch of keys that are never written gets progress, however often it is requested', async () => {
      await using store = openStore(etcd());
      const prefix = corner();
      const reader = new WatchReader(store, prefixRange(`${prefix}quiet/`), (await store.revision()) + 1);
      let next = reader.batch();
      let last = 0;
      for (let count = 0; count < 20; count++) {
        const revision = await write(store, put(`${prefix}busy`, String(count)));
        await store.requestProgress();
        const mark = await next;
        expect(mark.events).toEqual([]);
        expect(mark.revision).toBeGreaterThanOrEqual(revision);
        expect(mark.revision).toBeGreaterThan(last);
        last = mark.revision;
        next = reader.batch();
      }
      next.catch(() => undefined); // ends without a batch
      await reader.end();
    });

    test('keys with the same time to live share a lease', async () => {
      await using store = openStore(etcd());
      const prefix = corner();
      const before = await countLeases(store);
      await write(store, put(`${prefix}a`, '1', 3600));

      for (let index = 0; index < 20; index++) await write(store, put(`${prefix}${index}`, '1', 3600));
      expect(await countLeases(store)).toBe(before + 1);
      await write(store, put(`${prefix}other`, '1', 7200));
      expect(await countLeases(store)).toBe(before + 2);
    });

    test('keeps keys under another prefix if configured', async () => {
      await using own = openStore(etcd(), { prefix: 'cluster-1//' });
      await using all = openStore(etcd());
      const from = (await all.revision()) + 1;
      const reader = new WatchReader(own, prefixRange('/registry/'), from);

      await write(all, put('/registry/pods/a', 'of another cluster'));
      const revision = await write(own, put('/registry/pods/a', '1'), put('/registry/pods/b', '2'));

      expect((await all.range(prefixRange('/cluster-1/'))).entries.map(({ key }) => key)).toEqual([
        '/cluster-1/pods/a',
        '/cluster-1/pods/b',
      ]);
      expect((await own.range(prefixRange('/registry/pods/'))).entries.map(({ key }) => key)).toEqual([
        '/registry/pods/a',
        '/registry/pods/b',
      ]);
      expect((await reader.batch()).events.map(say)).toEqual([
        `put /registry/pods/a=1@${revision}`,
        `put /registry/pods/b=2@${revision}`,
      ]);
      const refused = await own.commit({ conditions: [{ key: '/registry/pods/a', modRevision: 1 }], operations: [] });
      expect(refused).toMatchObject({ ok: false, current: [{ key: '/registry/pods/a' }] });
      expect(text(await own.get('/registry/pods/b'))).toBe('2');
      await expect(own.get('/elsewhere')).rejects.toThrow(/stands for/);
      await reader.end();
    });
  });
});

describeWithEtcd(
  'an etcd with little space',
  (etcd) => {
    test('that is full answers NoSpace, and can still be read', async () => {
      await using store = openStore(etcd());
      const fill = async (): Promise<never> => {
        for (let count = 0; ; count++) await write(store, put(`/full/${count}`, 'x'.repeat(1_000_000)));
      };

      await expectFailure('NoSpace', fill());

      expect((await store.get('/full/0'))?.value.byteLength).toBe(1_000_000);
    });
  },
  { flags: ['--quota-backend-bytes=8000000'] },
);

const leaseStatus = new MessageTable({ id: int64(1) });
const LEASES = {
  path: '/etcdserverpb.Lease/LeaseLeases',
  request: new MessageTable({}),
  response: new MessageTable({ leases: repeated(nested(2, leaseStatus)) }),
};

async function countLeases(store: EtcdStore): Promise<number> {
  return (await store.client.call(LEASES, {}, { isRepeatable: true })).leases?.length ?? 0;
}
