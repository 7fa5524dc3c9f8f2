import type { Clock } from '../../base/index.ts';
import type { Revision } from '../store.ts';

/** etcd does not answer while a watch is behind, so it is asked again after this time. */
const ASK_AGAIN_MS = 50;

/** Keeps asking etcd how far a watch is, until it is as far as somebody wants it to be. */
export class WatchProgress {
  readonly #clock: Clock;
  readonly #onReached: (revision: Revision) => void;
  #wanted: Revision = 0;
  #ask: (() => void) | undefined;
  #timer: Disposable | undefined;

  /** `onReached` gets the revision that was wanted, or a later one that the watch has come to. */
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

  /** The watch has come to `seen`. */
  note(seen: Revision): void {
    if (this.#wanted === 0 || seen < this.#wanted) return;
    const reached = this.#wanted;
    this.#wanted = 0;
    this.stop();
    this.#onReached(reached);
  }

  /** How to ask: `undefined` while there is nobody to ask, or no use in it. */
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
    this.#timer = this.#clock.timer(ASK_AGAIN_MS, () => this.#askNow());
  }
}
