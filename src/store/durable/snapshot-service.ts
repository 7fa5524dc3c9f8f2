import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type Clock, type Logger, messageOf, Turns } from '../../base/index.ts';
import type { Mvcc } from '../mvcc/mvcc.ts';
import type { Snapshot, SnapshotEntry, SnapshotHead } from '../snapshot/snapshot.ts';
import { inBatches, snapshotBytes } from '../snapshot/snapshot-bytes.ts';
import { refusalLine } from '../snapshot/snapshot-line.ts';

/** What a process sends to request a snapshot. */
export const SNAPSHOT_REQUEST = 'snapshot\n';

export interface SnapshotServiceOptions {
  readonly clock: Clock;
  readonly log: Logger;
}

/** Max snapshots served at once: each keeps the entries that are overwritten or deleted meanwhile in memory. */
const MAX_AT_ONCE = 2;
/** A reader that takes nothing for this long is disconnected. */
const IDLE_MS = 30_000;

/**
 * Serves snapshots of an open store to processes that connect to its owner.
 *
 * A snapshot is the tree as it is at that moment, so writes continue. Pieces are made as fast as the reader takes them,
 * with a turn of the event loop between two of them.
 */
export class SnapshotService {
  readonly #mvcc: Mvcc;
  readonly #options: SnapshotServiceOptions;
  #underWay = 0;

  constructor(mvcc: Mvcc, options: SnapshotServiceOptions) {
    this.#mvcc = mvcc;
    this.#options = options;
  }

  /** Waits for the request and serves it. Anything else gets no answer. */
  answer(socket: Socket): void {
    let request = '';
    const idle = new IdleTimeout(this.#options.clock, socket);
    socket.setEncoding('latin1');
    socket.once('close', () => idle[Symbol.dispose]());
    socket.on('data', (text: string) => {
      request = (request + text).slice(0, SNAPSHOT_REQUEST.length + 1);
      if (request === SNAPSHOT_REQUEST) void this.#send(socket, idle);
      else if (!SNAPSHOT_REQUEST.startsWith(request)) socket.destroy();
    });
  }

  async #send(socket: Socket, idle: IdleTimeout): Promise<void> {
    if (this.#underWay >= MAX_AT_ONCE) {
      socket.end(`${refusalLine(`Cannot take a snapshot: ${MAX_AT_ONCE} are being taken already`)}\n`);
      return;
    }
    this.#underWay += 1;
    const { clock, log } = this.#options;
    const gone = new AbortController();
    socket.once('close', () => gone.abort(new Error('the other side has gone')));
    const turns = new Turns();
    try {
      const snapshot = snapshotOf(this.#mvcc, { isOfClosedStore: false, takenMs: clock.now() });
      for await (const piece of snapshotBytes(snapshot)) {
        if (!socket.write(piece)) await once(socket, 'drain', gone);
        idle.restart();
        await turns.take(true);
        gone.signal.throwIfAborted();
      }
      socket.end();
      log.info('store snapshot taken', { revision: snapshot.head.revision });
    } catch (error) {
      socket.destroy();
      log.warn('store snapshot not finished', { error: messageOf(error) });
    } finally {
      this.#underWay -= 1;
    }
  }
}

/** Closes the socket after a time without traffic. */
class IdleTimeout implements Disposable {
  readonly #clock: Clock;
  readonly #socket: Socket;
  #timer: Disposable;

  constructor(clock: Clock, socket: Socket) {
    this.#clock = clock;
    this.#socket = socket;
    this.#timer = this.#start();
  }

  restart(): void {
    this.#timer[Symbol.dispose]();
    this.#timer = this.#start();
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #start(): Disposable {
    return this.#clock.timer(IDLE_MS, () => this.#socket.destroy());
  }
}

/** What a store of this process holds now; later writes do not change it. */
export function snapshotOf(mvcc: Mvcc, options: Pick<SnapshotHead, 'isOfClosedStore' | 'takenMs'>): Snapshot {
  const { revision } = mvcc;
  const entries = mvcc.entriesAt(revision);
  const deadlines = mvcc.deadlines.fork();
  const all = function* (): Generator<SnapshotEntry> {
    for (const entry of entries.values()) yield { entry, deadlineMs: deadlines.of(entry.key) };
  };
  return {
    head: { ...options, revision, form: 'embedded' },
    batches: inBatches(all()),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
