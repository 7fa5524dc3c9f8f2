import { expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { GrpcServer, streamMethod, unaryMethod } from '../../wire/grpc/index.ts';
import type { MessageOf } from '../../wire/protobuf/index.ts';
import { prefixRange } from '../key-range.ts';
import { del, put, WatchReader } from '../testing/store-under-test.ts';
import { EtcdStore } from './etcd-store.ts';
import { STATUS, TXN, WATCH_PATH } from './messages/methods.ts';
import { watchRequest, type WatchResponse, watchResponse } from './messages/watch.ts';

/** Answers like an etcd in which nothing ever happens, and records the requests. */
async function listen(): Promise<{ server: GrpcServer; transactions: unknown[]; watches: unknown[] }> {
  const transactions: unknown[] = [];
  const watches: unknown[] = [];
  const watch = { path: WATCH_PATH, request: watchRequest, response: watchResponse };
  const server = await GrpcServer.listen({
    address: '127.0.0.1:0',
    clock: new RealClock(),
    methods: [
      unaryMethod(STATUS, async () => ({ version: '3.6.0' })),
      unaryMethod(TXN, async (request) => {
        transactions.push(request);
        return { header: { revision: 9 }, succeeded: true };
      }),
      streamMethod(
        watch,
        async function* (requests: AsyncIterable<MessageOf<typeof watchRequest>>): AsyncGenerator<WatchResponse> {
          for await (const { create } of requests) {
            watches.push(create);
            const kv = { key: '/registry/a', value: Buffer.from('1'), createRevision: 7, modRevision: 7, version: 1 };
            yield { header: { revision: 7 }, created: true };
            yield { header: { revision: 7 }, events: [{ kv }] };
          }
        },
      ),
    ],
  });
  return { server, transactions, watches };
}

function storeOn({ address }: GrpcServer): EtcdStore {
  return new EtcdStore({ endpoints: [address], clock: new RealClock(), random: new CryptoRandom() });
}

test('a commit sends every condition, and what to read when one fails', async () => {
  const { server, transactions } = await listen();
  await using _server = server;
  await using store = storeOn(server);
  const conditions = [
    { key: '/registry/a', modRevision: 3 },
    { key: '/registry/b', modRevision: 0 },
    { key: '/registry/c', modRevision: 5_000_000_000 },
  ];

  await store.commit({ conditions, operations: [put('/registry/a', '1'), del('/registry/c')] });

  expect(transactions).toMatchObject([
    {
      compare: [
        { target: 2, key: '/registry/a', modRevision: 3 },
        { target: 2, key: '/registry/b', modRevision: 0 },
        { target: 2, key: '/registry/c', modRevision: 5_000_000_000 },
      ],
      success: [{ put: { key: '/registry/a' } }, { deleteRange: { key: '/registry/c' } }],
      failure: conditions.map(({ key }) => ({ range: { key } })),
    },
  ]);
});

test('a watch asks for its `from` revision, and delivers that one', async () => {
  const { server, watches } = await listen();
  await using _server = server;
  await using store = storeOn(server);
  const reader = new WatchReader(store, prefixRange('/registry/'), 7);

  expect((await reader.batch()).revision).toBe(7);

  expect(watches).toMatchObject([{ key: '/registry/', rangeEnd: '/registry0', startRevision: 7, prevKv: true }]);
  await reader.end();
});
