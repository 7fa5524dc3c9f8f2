import { describe, expect, test } from 'vitest';
import { CryptoRandom, RealClock, VirtualClock } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import { type MemoryStore, openMemoryStore } from '../memory/memory-store.ts';
import { MirrorStore } from '../mirror/mirror-store.ts';
import type { Store } from '../store.ts';
import { describeStore } from '../testing/store-contract.ts';
import {
  expectFailure,
  put,
  say,
  type StoreTestOptions,
  text,
  WatchReader,
  write,
} from '../testing/store-under-test.ts';
import { ChannelStore } from './channel-store.ts';
import { openChannelStore } from './open-channel-store.ts';
import { boardReader, RevisionBoard } from './revision-board.ts';
import { serveStore } from './serve-store.ts';
import { channelPair } from './testing/channel-pair.ts';

const PREFIX = '/registry/';
const [clock, random] = [new RealClock(), new CryptoRandom()];

/** An in-memory store with a revision board; opens as many channels to it as a test needs. */
class Main implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly store: MemoryStore;
  readonly board = RevisionBoard.open(random) as RevisionBoard;
  readonly #served: Disposable[] = [];

  constructor(limits?: StoreTestOptions['limits']) {
    this.store = openMemoryStore({ clock: this.clock, limits });
    this.board.say(0);
  }

  async connect() {
    const [near, far] = await channelPair();
    this.#served.push(serveStore(this.store, far, { beforeSending: () => this.board.say(this.store.revisionNow()) }));
    return near;
  }

  hangUp(): void {
    for (const served of this.#served) served[Symbol.dispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.hangUp();
    await this.store[Symbol.asyncDispose]();
    this.board[Symbol.dispose]();
  }
}

type Open = (main: Main, options: StoreTestOptions) => Promise<Store>;

const kinds: readonly [string, Open][] = [
  [
    'a store behind a channel',
    async (main, { watch }) => new ChannelStore(await main.connect(), { clock, random, watch }),
  ],
  [
    'the mirror of a store behind a channel',
    async (main, { watch }) => new MirrorStore(new ChannelStore(await main.connect(), { clock, random }), { watch }),
  ],
  [
    'the mirror of a store behind a channel, with a board,',
    async (main, { watch }) => {
      const newest = boardReader(main.board.fd);
      return new MirrorStore(new ChannelStore(await main.connect(), { clock, random, newest }), { watch });
    },
  ],
];

for (const [name, open] of kinds) {
  describeStore(name, async (options = {}) => {
    const main = new Main(options.limits);
    const store = await open(main, options);
    if (options.watch !== undefined) await store.get(PREFIX); // the mirror must exist before the first event
    return {
      store,
      prefix: PREFIX,
      advance: (ms) => main.clock.advance(ms),
      [Symbol.asyncDispose]: async () => {
        await store[Symbol.asyncDispose]();
        await main[Symbol.asyncDispose]();
      },
    };
  });
}

describe('stores of two workers', () => {
  const openTwo = async (main: Main) => {
    const open = async () => openChannelStore(await main.connect(), { clock, random, boardFd: main.board.fd });
    return [await open(), await open()] as const;
  };

  test('each sees what the other has written as soon as that write is acknowledged', async () => {
    await using main = new Main();
    const [first, second] = await openTwo(main);
    for (let count = 0; count < 200; count++) {
      const [writer, reader] = count % 2 === 0 ? [first, second] : [second, first];
      await write(writer, put(`${PREFIX}a`, String(count)));
      expect(text(await reader.get(`${PREFIX}a`))).toBe(String(count));
    }
    await write(main.store, put(`${PREFIX}a`, 'by the main process'));
    main.board.say(main.store.revisionNow());
    expect(text(await first.get(`${PREFIX}a`))).toBe('by the main process');
  });

  test('a local read that is marked newest is the newest', async () => {
    await using main = new Main();
    const [first, second] = await openTwo(main);
    const [key, seen] = [`${PREFIX}a`, new Set<boolean>()];
    for (let count = 0; count < 300; count++) {
      await write(first, put(key, String(count)));
      if (count % 2 === 0) await second.get(key);
      const { isNewest } = second;
      seen.add(isNewest);
      if (isNewest) expect(text(second.readNow(key))).toBe(String(count));
    }
    expect(seen).toContain(true);
    const asking = new MirrorStore(new ChannelStore(await main.connect(), { clock, random }));
    await asking.get(key);
    expect(asking.isNewest).toBe(false); // no board, so it cannot know
  });

  test('a reader that learned of a write from a watch of one finds it in the other', async () => {
    await using main = new Main();
    const [first, second] = await openTwo(main);
    await second.get(PREFIX);
    const watch = new WatchReader(first, prefixRange(PREFIX), 1);
    for (let count = 0; count < 100; count++) {
      const written = write(main.store, put(`${PREFIX}a`, String(count)));
      const [event] = (await watch.batch()).events;
      expect(event === undefined ? '' : say(event)).toContain(`=${count}@`);
      expect(text(await second.get(`${PREFIX}a`))).toBe(String(count));
      await written;
    }
    await watch.end();
  });

  test('incrementing a counter through both at once loses nothing', async () => {
    await using main = new Main();
    const stores = await openTwo(main);
    const key = `${PREFIX}counter`;
    await write(main.store, put(key, '0'));
    const add = async (store: Store): Promise<void> => {
      for (let done = 0; done < 20;) {
        const entry = await store.get(key);
        const conditions = [{ key, modRevision: entry?.modRevision ?? 0 }];
        const result = await store.commit({ conditions, operations: [put(key, String(Number(text(entry)) + 1))] });
        if (result.ok) done += 1;
      }
    };
    await Promise.all(Array.from({ length: 16 }, (_item, index) => add(stores[index % 2] as Store)));

    expect(text(await main.store.get(key))).toBe('320');
  });

  test('a list that is larger than one part arrives complete', async () => {
    await using main = new Main();
    const value = 'x'.repeat(10_000);
    for (let count = 0; count < 500; count++) await write(main.store, put(`${PREFIX}${count}`, value));
    await using store = new ChannelStore(await main.connect(), { clock, random });

    const { entries, count, more } = await store.range(prefixRange(PREFIX), { limit: 400 });

    expect([entries.length, count, more]).toEqual([400, 500, true]);
    expect(entries.every((entry) => text(entry) === value)).toBe(true);
  });

  test('are Unavailable when the main process is gone', async () => {
    await using main = new Main();
    const [first] = await openTwo(main);
    await write(first, put(`${PREFIX}a`, '1'));
    const direct = new ChannelStore(await main.connect(), { clock, random });
    const watch = new WatchReader(direct, prefixRange(PREFIX), 5).next();
    const pending = direct.revision();

    main.hangUp();

    await expectFailure('Unavailable', pending);
    await expectFailure('Unavailable', watch);
    await expectFailure('Unavailable', write(first, put(`${PREFIX}a`, '2')));
    await expectFailure('Unavailable', direct.checkHealth());
  });
});
