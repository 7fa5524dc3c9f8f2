import type { Clock, Logger, Random } from '../../base/index.ts';
import type { Client, Observed, Pod } from '../../client/index.ts';
import { fetchObject, type ObjectReference, type PodObject, type PodObjects, referenceKey } from './pod-objects.ts';
import { UsedObjects } from './used-objects.ts';
import { WatchedObject } from './watched-object.ts';

export interface WatchedObjectsParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Called when an object that this pod uses has changed. */
  changed(podUid: string): void;
}

/** Objects with a watch of their own; further ones are read whenever they are needed. */
const MAX_WATCHES = 10_000;
/** A watch ends when its object was not read for this long: it was needed for variables of containers alone. */
const MAX_IDLE_MS = 5 * 60_000;
const SWEEP_MS = 60_000;
const SWEEP = { type: 'beat', name: 'watches of objects', periodMs: SWEEP_MS } as const;

/** Follows each object that a pod uses with one watch, which all its pods share (`Watch`). */
export class WatchedObjects implements PodObjects {
  readonly #parts: WatchedObjectsParts;
  readonly #used: UsedObjects<WatchedObject>;
  /** Watches that end. */
  readonly #ending = new Set<Promise<void>>();
  #sweep: Disposable | undefined;

  constructor(parts: WatchedObjectsParts) {
    this.#parts = parts;
    this.#used = new UsedObjects({
      open: (reference, key) => this.#open(reference, key),
      close: (object) => this.#close(object),
    });
  }

  get(reference: ObjectReference): Promise<PodObject | undefined> {
    const watched = this.#used.get(referenceKey(reference));
    return watched?.get() ?? fetchObject(this.#parts.client, reference);
  }

  use(pod: Observed<Pod>): void {
    this.#used.use(pod);
    if (this.#used.size > 0) this.#planSweep();
  }

  release(podUid: string): void {
    this.#used.release(podUid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sweep?.[Symbol.dispose]();
    for (const object of this.#used.values()) this.#close(object);
    await Promise.all(this.#ending);
  }

  #open(reference: ObjectReference, key: string): WatchedObject | undefined {
    if (this.#used.size >= MAX_WATCHES) return undefined;
    const { client, clock, random, log } = this.#parts;
    const changed = (): void => this.#used.podsOf(key).forEach((uid) => this.#parts.changed(uid));
    return new WatchedObject(reference, { client, clock, random, log, changed });
  }

  #close(object: WatchedObject): void {
    const ending = object.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #planSweep(): void {
    this.#sweep ??= this.#parts.clock.timer(
      SWEEP_MS,
      () => {
        this.#sweep = undefined;
        const nowMs = this.#parts.clock.monotonic();
        for (const object of this.#used.values()) if (nowMs - object.readMs > MAX_IDLE_MS) object.pause();
        if (this.#used.size > 0) this.#planSweep();
      },
      SWEEP,
    );
  }
}
