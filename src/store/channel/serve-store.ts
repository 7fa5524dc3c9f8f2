import type { Duplex } from 'node:stream';
import type { Entry, HealthReporting, RangeResult, Store, WatchBatch } from '../store.ts';
import { type FrameBody, readFrames } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import {
  ANSWER,
  readTransaction,
  REQUEST,
  writeBatch,
  writeCommit,
  writeFailure,
  writeOptional,
  writePart,
} from './messages.ts';

export interface ServeStoreOptions {
  /** Called before any data leaves this process. */
  readonly beforeSending?: () => void;
}

/** Large answers are sent in parts of about this size, so that other answers can get in between. */
const PART_BYTES = 256 * 1024;

/**
 * Serves a store of this process to another process over a channel, until the channel closes or the result is disposed
 * of.
 *
 * Data the other side does not read is queued. A watch queues no more than the store allows and then ends with
 * `SlowWatcher`.
 */
export function serveStore(store: Store, channel: Duplex, options: ServeStoreOptions = {}): Disposable {
  const served = new ServedStore(store, channel, options);
  return { [Symbol.dispose]: () => served.close() };
}

type Handler = (id: number, body: FrameBody) => Promise<void>;

class ServedStore {
  readonly #store: Store;
  readonly #channel: Duplex;
  readonly #frames: FrameWriter;
  /** Keyed by request id. */
  readonly #watches = new Map<number, AbortController>();
  readonly #handlers: Readonly<Record<number, Handler>> = {
    [REQUEST.revision]: async (id) => {
      const revision = await this.#store.revision();
      this.#done(id).number(revision).end();
    },
    [REQUEST.get]: (id, body) => this.#get(id, body),
    [REQUEST.range]: (id, body) => this.#range(id, body),
    [REQUEST.commit]: (id, body) => this.#commit(id, body),
    [REQUEST.watch]: (id, body) => this.#watch(id, body),
    [REQUEST.stop]: async (id) => this.#watches.get(id)?.abort(),
    [REQUEST.progress]: async (id) => {
      await this.#store.requestProgress();
      this.#done(id).end();
    },
    [REQUEST.compact]: async (id, body) => {
      await this.#store.compact(body.number());
      this.#done(id).end();
    },
    [REQUEST.health]: async (id) => {
      if (isHealthReporting(this.#store)) await this.#store.checkHealth();
      this.#done(id).end();
    },
  };

  constructor(store: Store, channel: Duplex, { beforeSending }: ServeStoreOptions) {
    this.#store = store;
    this.#channel = channel;
    this.#frames = new FrameWriter((bytes) => {
      if (!channel.writable) return;
      beforeSending?.();
      channel.write(bytes);
    });
    readFrames(channel, (kind, id, body) => this.#serve(kind, id, body));
    channel.once('close', () => this.close());
  }

  close(): void {
    for (const watch of this.#watches.values()) watch.abort();
    this.#channel.destroy();
  }

  #serve(kind: number, id: number, body: FrameBody): void {
    const handler = this.#handlers[kind];
    if (handler === undefined) throw new RangeError(`Cannot serve a request of kind ${kind}`);
    handler(id, body).catch((error: unknown) => {
      const frame = this.#frames.begin(ANSWER.failed, id);
      writeFailure(frame, error);
      frame.end();
    });
  }

  /** Begins the final answer to a request; the caller must finish writing it synchronously. */
  #done(id: number): FrameWriter {
    return this.#frames.begin(ANSWER.done, id);
  }

  async #get(id: number, body: FrameBody): Promise<void> {
    const [key, at] = [body.text(), body.number()];
    const entry = await this.#store.get(key, Number.isNaN(at) ? {} : { at });
    const frame = this.#done(id);
    writeOptional(frame, entry);
    frame.end();
  }

  async #commit(id: number, body: FrameBody): Promise<void> {
    const result = await this.#store.commit(readTransaction(body));
    const frame = this.#done(id);
    writeCommit(frame, result);
    frame.end();
  }

  async #range(id: number, body: FrameBody): Promise<void> {
    const range = { from: body.text(), to: body.text() };
    const [limit, at] = [body.number(), body.number()];
    const result = await this.#store.range(range, { limit, ...(Number.isNaN(at) ? {} : { at }) });
    let start = 0;
    for (let end = partEnd(result, start); end < result.entries.length; end = partEnd(result, start)) {
      this.#part(id, ANSWER.part, { ...result, entries: result.entries.slice(start, end) });
      start = end;
      await this.#drained();
    }
    this.#part(id, ANSWER.done, { ...result, entries: result.entries.slice(start) });
  }

  #part(id: number, kind: number, part: RangeResult): void {
    const frame = this.#frames.begin(kind, id);
    writePart(frame, part);
    frame.end();
  }

  async #watch(id: number, body: FrameBody): Promise<void> {
    const range = { from: body.text(), to: body.text() };
    const [from, hasPrevious] = [body.number(), body.count() === 1];
    const stop = new AbortController();
    this.#watches.set(id, stop);
    try {
      for await (const batch of this.#store.watch(range, { from, signal: stop.signal })) {
        this.#sendBatch(id, batch, hasPrevious);
        await this.#drained();
      }
      this.#done(id).end();
    } finally {
      this.#watches.delete(id);
    }
  }

  #sendBatch(id: number, batch: WatchBatch, hasPrevious: boolean): void {
    const frame = this.#frames.begin(ANSWER.events, id);
    writeBatch(frame, batch, hasPrevious);
    frame.end();
  }

  /** Resolves when the other side has read enough of the queued data. */
  async #drained(): Promise<void> {
    const channel = this.#channel;
    if (!channel.writableNeedDrain) return;
    await new Promise<void>((resolve) => {
      const over = (): void => {
        channel.off('drain', over).off('close', over);
        resolve();
      };
      channel.on('drain', over).on('close', over);
    });
  }
}

/** The end index of the part that begins at `start`. */
function partEnd({ entries }: RangeResult, start: number): number {
  let bytes = 0;
  for (let index = start; index < entries.length; index++) {
    const { key, value } = entries[index] as Entry;
    bytes += key.length + value.byteLength;
    if (bytes >= PART_BYTES) return index + 1;
  }
  return entries.length;
}

function isHealthReporting(store: Store): store is Store & HealthReporting {
  return 'checkHealth' in store;
}
