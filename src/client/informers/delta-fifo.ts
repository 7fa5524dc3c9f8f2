import { keyOf, type KubernetesObject, type Observed } from '../kind.ts';
import { Gate } from './gate.ts';
import type { ReflectorSink } from './reflector-options.ts';

/**
 * One change to an object. `Replaced` comes from a list of all objects and `Sync` from a resync: the object may be
 * unchanged. `isFinalStateUnknown` marks a deletion noticed only because the object is missing from a list: `object` is
 * then the last state seen.
 */
export type Delta<T extends KubernetesObject> =
  | { readonly type: 'Added' | 'Updated' | 'Replaced' | 'Sync'; readonly object: Observed<T> }
  | { readonly type: 'Deleted'; readonly object: Observed<T>; readonly isFinalStateUnknown: boolean };

/** The changes to one object since the consumer last took it; at least one delta, oldest first. */
export interface KeyDeltas<T extends KubernetesObject> {
  readonly key: string;
  readonly deltas: readonly Delta<T>[];
}

export interface DeltaFifoOptions<T extends KubernetesObject> {
  /** The consumer's cache. `replace` compares with it to find deleted objects; `resync` queues its objects. */
  readonly known: { keys(): Iterable<string>; get(key: string): Observed<T> | undefined };
  /** Changes objects before they are queued, for example to drop unused fields. */
  readonly transform?: (object: Observed<T>) => Observed<T>;
  /** Maximum number of deltas that wait for one object; beyond it, intermediate updates are dropped. Default 100. */
  readonly maxDeltas?: number;
}

/** The array of an empty queue is compacted when it has this many taken keys: there are hundreds of queues. */
const MAX_TAKEN_WHEN_EMPTY = 32;
/** The same while keys wait, if the taken ones are more than half of the array. */
const MAX_TAKEN = 1024;

/**
 * A queue of changed objects, ordered by their first pending change; each entry holds all pending changes of one
 * object.
 *
 * Guarantees: an object that is in the queue is in it once; two deletions in a row become one; size is bounded by the
 * number of objects and `maxDeltas`. Assumes: one consumer, which knows an object (`known`) as soon as it has taken it
 * out.
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
  /** Objects of the first list that are still queued; undefined before the first list. */
  #initial: Set<string> | undefined;

  constructor(options: DeltaFifoOptions<T>) {
    this.#options = options;
  }

  /** The number of queued objects. */
  get size(): number {
    return this.#deltas.size;
  }

  /** Whether the first list has arrived and the consumer has taken all of it. */
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
    if (!this.#isThere(key)) return; // the consumer never saw it
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

  /** Queues every known object again, except those that are queued already. */
  resync(): void {
    for (const key of this.#options.known.keys()) {
      const object = this.#options.known.get(key);
      if (object !== undefined && !this.#deltas.has(key)) this.#push({ type: 'Sync', object });
    }
  }

  /** Takes the first object; undefined when the queue is empty. */
  pop(): KeyDeltas<T> | undefined {
    if (this.#head === this.#order.length) return undefined;
    const key = this.#order[this.#head++] as string;
    const maxTaken = this.#head === this.#order.length ? MAX_TAKEN_WHEN_EMPTY : MAX_TAKEN;
    if (this.#head >= maxTaken && this.#head * 2 > this.#order.length) {
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

  /** Yields queued objects one by one and waits for more until `close`. */
  async *[Symbol.asyncIterator](): AsyncGenerator<KeyDeltas<T>, undefined> {
    for (;;) {
      for (let next = this.pop(); next !== undefined; next = this.pop()) yield next;
      if (this.#isClosed) return undefined;
      this.#arrived = new Gate();
      await this.#arrived.opened();
    }
  }

  /** Whether the object exists after all queued changes. */
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
    if (last.isFinalStateUnknown) deltas[deltas.length - 1] = delta; // prefer the deletion with a known final state
    return;
  }
  const isRepeatable = last?.type === 'Updated' || last?.type === 'Replaced' || last?.type === 'Sync';
  if (deltas.length >= maxDeltas && isRepeatable && delta.type !== 'Deleted') deltas.pop();
  deltas.push(delta);
}
