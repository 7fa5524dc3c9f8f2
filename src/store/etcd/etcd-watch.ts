import { Backoff, type Clock, type Logger, type Random } from '../../base/index.ts';
import { type Connection, GrpcError, isGrpcError } from '../../wire/grpc/index.ts';
import { StoreError } from '../errors.ts';
import { Inbox, type WatchLimits } from '../mvcc/watch-hub.ts';
import type { KeyRange, Revision, WatchBatch } from '../store.ts';
import type { EtcdClient } from './etcd-client.ts';
import { isMessageTooLarge } from './etcd-errors.ts';
import { EVERYTHING, type KeyNames } from './key-names.ts';
import { WATCH_PATH } from './messages/methods.ts';
import { watchRequest, type WatchResponse, watchResponse } from './messages/watch.ts';
import type { ProgressSupport } from './progress-support.ts';
import { WatchEvents } from './watch-events.ts';

export interface EtcdWatchOptions {
  readonly from: Revision;
  readonly signal: AbortSignal;
  /** Whether events include the previous entry, which etcd has to look up. */
  readonly hasPrevious: boolean;
  readonly client: EtcdClient;
  readonly names: KeyNames;
  readonly progress: ProgressSupport;
  readonly limits: WatchLimits;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  onOpen(): void;
  onEnd(): void;
}

const RECONNECT = { initialMs: 50, capMs: 2000, jitter: 0.2 };
const DENIED = /permission denied|invalid auth token|user name is empty/;

/**
 * One watch on etcd that survives the loss of its stream: it resumes after the last revision that arrived completely.
 *
 * It reads as fast as etcd sends; events the reader has not taken wait in an inbox, and an inbox that grows too large
 * ends the watch with `SlowWatcher`. On servers that cannot report progress reliably it watches all keys: every
 * revision changes some key, so the arrival of a revision proves that all earlier ones have arrived.
 */
export class EtcdWatch implements AsyncIterable<WatchBatch> {
  readonly #range: KeyRange;
  readonly #options: EtcdWatchOptions;
  readonly #events: WatchEvents;
  readonly #progress: WatchProgress;
  readonly #inbox: Inbox;
  readonly #stop = new AbortController();
  /** Revision of the last batch. */
  #offered: Revision = 0;
  #failure: unknown;

  constructor(range: KeyRange, options: EtcdWatchOptions) {
    this.#range = range;
    this.#options = options;
    this.#events = new WatchEvents(range, { from: Math.max(options.from, 1), names: options.names });
    this.#inbox = new Inbox({ range, from: options.from }, options.limits, () => this.#stop.abort());
    this.#progress = new WatchProgress(options.clock, (revision) => this.#offerProgress(revision));
  }

  /** Requests a batch that reaches `revision`, which etcd is known to have reached. */
  wantProgress(revision: Revision): void {
    this.#progress.want(revision, this.#events.seen);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WatchBatch, void, undefined> {
    const { signal, onOpen, onEnd } = this.#options;
    if (signal.aborted) return;
    onOpen();
    const abort = (): void => void this.end();
    signal.addEventListener('abort', abort, { once: true });
    const following = this.#follow(this.#stop.signal);
    try {
      for (let step = await this.#inbox.next(); step.done !== true; step = await this.#inbox.next()) {
        yield this.#inbox.take(step.value);
      }
    } finally {
      signal.removeEventListener('abort', abort);
      await this.end();
      await following;
      onEnd();
    }
    if (this.#failure !== undefined && !signal.aborted) throw this.#failure;
  }

  /** Ends the watch for its reader, without an error. */
  async end(): Promise<void> {
    this.#stop.abort();
    this.#progress.stop();
    await this.#inbox.end();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { client, clock, random, log, progress } = this.#options;
    const backoff = new Backoff(RECONNECT, random);
    while (!signal.aborted) {
      let connection: Connection | undefined;
      try {
        connection = await client.connection({ signal });
        const isReliable = await progress.isReliable(connection);
        await this.#readStream(connection, { isReliable, signal, onCreated: () => backoff.reset() });
      } catch (error) {
        if (signal.aborted) return;
        if (isFinal(error)) return this.#fail(error);
        log.debug('watch stream lost', { from: this.#events.seen + 1, error });
        if (connection !== undefined) client.avoid(connection);
      }
      await clock.sleep(backoff.nextMs(), signal);
    }
  }

  async #readStream(
    connection: Connection,
    options: { readonly isReliable: boolean; readonly signal: AbortSignal; readonly onCreated: () => void },
  ): Promise<void> {
    const range = options.isReliable ? this.#options.names.rangeToEtcd(this.#range) : EVERYTHING;
    this.#events.restart();
    const call = connection.duplex(WATCH_PATH, { metadata: this.#options.client.metadata, signal: options.signal });
    const startRevision = this.#events.seen + 1;
    // a range that cannot contain any key is watched as a key that cannot exist
    const create = { ...(range ?? { key: EVERYTHING.key }), startRevision, prevKv: this.#options.hasPrevious };
    await call.send(watchRequest.encode({ create: { ...create, fragment: true } }));
    const ask = (): void => void call.send(watchRequest.encode({ progress: {} }));
    try {
      for await (const message of call) {
        const response = watchResponse.decode(message);
        if (response.canceled === true) throw cancellation(response, startRevision);
        if (response.created === true) {
          options.onCreated();
          this.#progress.attach(options.isReliable ? ask : undefined);
        } else this.#take(response, { weight: message.byteLength, isReliable: options.isReliable });
      }
    } finally {
      this.#progress.attach(undefined);
    }
  }

  #take(response: WatchResponse, options: { readonly weight: number; readonly isReliable: boolean }): void {
    const isProgress = (response.events?.length ?? 0) === 0 && response.fragment !== true;
    if (!isProgress) {
      const batch = this.#events.take(response);
      if (batch !== undefined) {
        this.#offered = batch.revision;
        this.#inbox.offer({ batch, weight: options.weight });
      }
    } else if (options.isReliable) this.#events.advance(response.header?.revision ?? 0);
    this.#progress.note(this.#events.seen);
  }

  #offerProgress(revision: Revision): void {
    this.#offered = Math.max(this.#offered, revision);
    this.#inbox.offerProgress(this.#offered);
  }

  #fail(error: unknown): void {
    const { message } = error as Error;
    const isOwn = error instanceof StoreError;
    this.#failure = isOwn ? error : new StoreError('Unavailable', `Cannot watch: ${message}`, { cause: error });
    void this.end();
  }
}

/** Errors that a retry cannot fix. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof GrpcError)) return true;
  if (isMessageTooLarge(error)) return true;
  return isGrpcError(error, 'PERMISSION_DENIED', 'UNAUTHENTICATED', 'UNIMPLEMENTED', 'INVALID_ARGUMENT');
}

function cancellation(response: WatchResponse, from: Revision): Error {
  const { compactRevision = 0, cancelReason = '' } = response;
  if (compactRevision > 0) {
    const what = `what was before revision ${compactRevision} has been compacted`;
    return new StoreError('Compacted', `Cannot watch from revision ${from}: ${what}`, {
      firstRevision: compactRevision,
    });
  }
  const code = DENIED.test(cancelReason) ? 'PERMISSION_DENIED' : 'UNAVAILABLE';
  return new GrpcError(code, `etcd cancelled the watch: ${cancelReason || 'no reason given'}`);
}

/** etcd does not answer a progress request while a watch lags, so the request is repeated after this time. */
const PROGRESS_RETRY_MS = 50;

/** Repeats progress requests until the watch has reached the wanted revision. */
class WatchProgress {
  readonly #clock: Clock;
  readonly #onReached: (revision: Revision) => void;
  #wanted: Revision = 0;
  #ask: (() => void) | undefined;
  #timer: Disposable | undefined;

  /** `onReached` receives the wanted revision, or a later one that the watch has reached. */
  constructor(clock: Clock, onReached: (revision: Revision) => void) {
    this.#clock = clock;
    this.#onReached = onReached;
  }

  /** `seen` is how far the watch is now. */
  want(revision: Revision, seen: Revision): void {
    const isAsking = this.#wanted > 0;
    this.#wanted = Math.max(this.#wanted, revision);
    if (seen >= this.#wanted) this.note(seen);
    else if (!isAsking) this.#askNow();
  }

  /** Records that the watch has reached `seen`. */
  note(seen: Revision): void {
    if (this.#wanted === 0 || seen < this.#wanted) return;
    const reached = this.#wanted;
    this.#wanted = 0;
    this.stop();
    this.#onReached(reached);
  }

  /** Sets how to ask; `undefined` while there is no stream, or asking is useless. */
  attach(ask: (() => void) | undefined): void {
    this.stop();
    this.#ask = ask;
    if (this.#wanted > 0) this.#askNow();
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  #askNow(): void {
    const ask = this.#ask;
    if (ask === undefined) return;
    ask();
    this.#timer = this.#clock.timer(PROGRESS_RETRY_MS, () => this.#askNow());
  }
}
