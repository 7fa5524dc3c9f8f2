import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';
import { Gate } from './gate.ts';
import type { ReflectorSink } from './reflector-options.ts';

/**
 * One thing that happened to an object. `Replaced` comes from fetching the whole state and `Sync` from a resync: the object
 * may be the same as before. A deletion that was only noticed by the object's absence has `isFinalStateUnknown`: the object
 * is then the last state that was seen.
 */
export type Delta<T extends KubernetesObject> =
  | { readonly type: 'Added' | 'Updated' | 'Replaced' | 'Sync'; readonly object: Observed<T> }
  | { readonly type: 'Deleted'; readonly object: Observed<T>; readonly isFinalStateUnknown: boolean };

/** All that happened to one object since it was last taken out; at least one delta, oldest first. */
export interface KeyDeltas<T extends KubernetesObject> {
  readonly key: string;
  readonly deltas: readonly Delta<T>[];
}

export interface DeltaFifoOptions<T extends KubernetesObject> {
  /** What the consumer has: it says what is gone when the state is replaced, and what a resync is about. */
  readonly known: { keys(): Iterable<string>; get(key: string): Observed<T> | undefined };
  /** Changes objects on their way in, say to drop what nobody reads. */
  readonly transform?: (object: Observed<T>) => Observed<T>;
  /** An object never has more deltas waiting than this: then updates in between are left out. Default: 100. */
  readonly maxDeltas?: number;
}

/** So many keys that were taken out may stay; few when nothing waits behind them. */
const FEW_TAKEN = 32;
const MANY_TAKEN = 1024;

/**
 * A queue of objects that something happened to, in the order in which that began; each with all that happened to it.
 *
 * Guarantees: an object that is in the queue is in it once; two deletions in a row become one; size is bounded by the
 * number of objects and `maxDeltas`.
 * Assumes: one consumer, which knows an object (`known`) as soon as it has taken it out.
 *
 * Example: add a, add b, update a; taking gives a: [Added, Updated], then b: [Added].
 */
export class DeltaFifo<T extends KubernetesObject> implements ReflectorSink<T>, AsyncIterable<KeyDeltas<T>> {
  readonly #options: DeltaFifoOptions<T>;
  readonly #deltas = new Map<string, Delta<T>[]>();
  #order: string[] = [];
  #head = 0;
  #arrived = new Gate();
  #isClosed = false;
  /** Objects of the first state that are still in the queue; undefined before there was one. */
  #initial: Set<string> | undefined;

  constructor(options: DeltaFifoOptions<T>) {
    this.#options = options;
  }

  /** How many objects wait. */
  get size(): number {
    return this.#deltas.size;
  }

  /** The first whole state has come in, and all of it has been taken out. */
  get hasSynced(): boolean {
    return this.#initial !== undefined && this.#initial.size === 0;
  }

  add(object: Observed<T>): void {
    this.#push({ type: 'Added', object: this.#transformed(object) });
  }

  update(object: Observed<T>): void {
    this.#push({ type: 'Updated', object: this.#transformed(object) });
  }

  delete(object: Observed<T>): void {
    const key = keyOf(object);
    if (!this.#isThere(key)) return; // nobody was told of it, so nobody needs to be told that it is gone
    this.#push({ type: 'Deleted', object: this.#transformed(object), isFinalStateUnknown: false });
  }

  replace(objects: readonly Observed<T>[]): void {
    const present = new Set<string>();
    for (const object of objects) {
      present.add(keyOf(object));
      this.#push({ type: 'Replaced', object: this.#transformed(object) });
    }
    for (const key of new Set([...this.#options.known.keys(), ...this.#deltas.keys()])) {
      if (present.has(key) || !this.#isThere(key)) continue;
      const object = this.#deltas.get(key)?.at(-1)?.object ?? this.#options.known.get(key);
      if (object !== undefined) this.#push({ type: 'Deleted', object, isFinalStateUnknown: true });
    }
    this.#initial ??= new Set(this.#deltas.keys());
  }

  /** Puts everything that is known into the queue once more, but for what waits there anyway. */
  resync(): void {
    for (const key of this.#options.known.keys()) {
      const object = this.#options.known.get(key);
      if (object !== undefined && !this.#deltas.has(key)) this.#push({ type: 'Sync', object });
    }
  }

  /** Takes the first object out; undefined when none waits. */
  pop(): KeyDeltas<T> | undefined {
    if (this.#head === this.#order.length) return undefined;
    const key = this.#order[this.#head++] as string;
    const most = this.#head === this.#order.length ? FEW_TAKEN : MANY_TAKEN;
    if (this.#head >= most && this.#head * 2 > this.#order.length) {
      this.#order = this.#order.slice(this.#head);
      this.#head = 0;
    }
    const deltas = this.#deltas.get(key) ?? [];
    this.#deltas.delete(key);
    this.#initial?.delete(key);
    return { key, deltas };
  }

  /** Ends the iteration once the queue is empty. */
  close(): void {
    this.#isClosed = true;
    this.#arrived.open();
  }

  /** Takes out one object after the other, waiting for more until `close`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<KeyDeltas<T>, undefined> {
    for (;;) {
      for (let next = this.pop(); next !== undefined; next = this.pop()) yield next;
      if (this.#isClosed) return undefined;
      this.#arrived = new Gate();
      await this.#arrived.opened();
    }
  }

  /** Whether the object is there once everything in the queue has happened. */
  #isThere(key: string): boolean {
    const last = this.#deltas.get(key)?.at(-1);
    return last === undefined ? this.#options.known.get(key) !== undefined : last.type !== 'Deleted';
  }

  #transformed(object: Observed<T>): Observed<T> {
    return this.#options.transform?.(object) ?? object;
  }

  #push(delta: Delta<T>): void {
    const key = keyOf(delta.object);
    const deltas = this.#deltas.get(key);
    if (deltas === undefined) {
      this.#deltas.set(key, [delta]);
      this.#order.push(key);
    } else {
      append(deltas, delta, this.#options.maxDeltas ?? 100);
    }
    this.#arrived.open();
  }
}

function append<T extends KubernetesObject>(deltas: Delta<T>[], delta: Delta<T>, maxDeltas: number): void {
  const last = deltas.at(-1);
  if (last?.type === 'Deleted' && delta.type === 'Deleted') {
    if (last.isFinalStateUnknown) deltas[deltas.length - 1] = delta; // the better-known end wins
    return;
  }
  const isRepeatable = last?.type === 'Updated' || last?.type === 'Replaced' || last?.type === 'Sync';
  if (deltas.length >= maxDeltas && isRepeatable && delta.type !== 'Deleted') deltas.pop();
  deltas.push(delta);
}
