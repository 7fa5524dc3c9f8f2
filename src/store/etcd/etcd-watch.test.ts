// Where watches of etcd start and resume, against a fake etcd (issue 12, F).
import { expect, test } from 'vitest';
import { CryptoRandom, RealClock } from '../../base/index.ts';
import { GrpcServer, type ServedCall } from '../../wire/grpc/testing/grpc-server.ts';
import { prefixRange } from '../key-range.ts';
import { EtcdStore } from './etcd-store.ts';
import { STATUS, WATCH_PATH } from './messages/methods.ts';
import { watchRequest, watchResponse } from './messages/watch.ts';

/**
 * A server with one key that is written at every revision up to `newest`; each stream ends after `perStream` events.
 */
class FakeEtcd {
  readonly starts: number[] = [];
  readonly #version: string;
  readonly #newest: number;
  readonly #perStream: number;

  constructor(options: { readonly version: string; readonly newest: number; readonly perStream: number }) {
    this.#version = options.version;
    this.#newest = options.newest;
    this.#perStream = options.perStream;
  }

  listen(): Promise<GrpcServer> {
    return GrpcServer.start({
      [STATUS.path]: (call) => {
        call.send(STATUS.response.encode({ version: this.#version }));
        call.finish({ 'grpc-status': '0' });
      },
      [WATCH_PATH]: (call) => this.#watch(call),
    });
  }

  async #watch(call: ServedCall): Promise<void> {
    const first = await call.messages[Symbol.asyncIterator]().next();
    const { create } = watchRequest.decode(first.value as Uint8Array);
    const { startRevision = 0 } = create ?? {};
    this.starts.push(startRevision);
    call.send(watchResponse.encode({ created: true, header: { revision: this.#newest } }));
    const end = Math.min(startRevision + this.#perStream, this.#newest + 1);
    for (let revision = startRevision; revision < end; revision++) call.send(this.#event(revision));
    if (end <= this.#newest) call.finish({ 'grpc-status': '14', 'grpc-message': 'gone' });
  }

  #event(modRevision: number): Uint8Array {
    const kv = { key: '/registry/a', value: Buffer.from('v'), createRevision: 1, modRevision, version: 1 };
    return watchResponse.encode({ header: { revision: modRevision }, events: [{ kv }] });
  }
}

async function revisionsFrom(from: number, etcd: FakeEtcd, until: number): Promise<number[]> {
  await using server = await etcd.listen();
  const endpoints = [server.address];
  await using store = new EtcdStore({ endpoints, clock: new RealClock(), random: new CryptoRandom() });
  const seen: number[] = [];
  for await (const { events } of store.watch(prefixRange('/registry/'), {
    from,
    signal: new AbortController().signal,
  })) {
    for (const event of events) seen.push(event.type === 'put' ? event.entry.modRevision : event.revision);
    if ((seen.at(-1) ?? 0) >= until) break;
  }
  return seen;
}

test.each([
  ['3.6.5', 'which reports progress'],
  ['3.5.0', 'of which all keys are watched'],
])('a watch of etcd %s, %s, starts at the revision asked for and skips none after a break', async (version) => {
  const etcd = new FakeEtcd({ version, newest: 9, perStream: 2 });

  expect(await revisionsFrom(5, etcd, 9)).toEqual([5, 6, 7, 8, 9]);

  expect(etcd.starts).toEqual([5, 7, 9]);
});

test('a watch from before the first revision starts with it', async () => {
  const etcd = new FakeEtcd({ version: '3.6.5', newest: 2, perStream: 5 });
  expect(await revisionsFrom(0, etcd, 2)).toEqual([1, 2]);
  expect(etcd.starts).toEqual([1]);
});
