import type { ApiObject } from '../../api/index.ts';
import { StoreError } from '../../store/index.ts';
import type { Entry, InProcessStore, KeyRange, Revision, Store, StoreEvent } from '../../store/index.ts';
import type { KindStorageMetrics, StorageOperation } from '../metrics/storage-metrics.ts';
import type { Alongside } from '../resource.ts';
import type { StorageCodec } from './storage-codec.ts';
import { StoredObject } from './stored-object.ts';
import { SupersededObjects } from './superseded-objects.ts';

export interface ObjectList {
  readonly objects: readonly StoredObject[];
  readonly more: boolean;
  readonly count: number;
  readonly revision: Revision;
}

/** A change as watchers see it, before selectors. */
export interface ObjectChange {
  readonly revision: Revision;
  readonly current: StoredObject | undefined;
  readonly previous: StoredObject | undefined;
}

export interface ObjectChanges {
  readonly changes: readonly ObjectChange[];
  readonly revision: Revision;
}

export interface WriteOptions {
  /** The object that must still be there unchanged; undefined when there must be none. */
  readonly expected: StoredObject | undefined;
  readonly ttlSeconds?: number;
  /** More for the same transaction. */
  readonly alongside?: Alongside;
}

/**
 * What was made of stored bytes, by their identity, which an in-process store keeps for as long as the entry lives. Stores
 * that are forks of each other hold the same bytes, and can share this.
 */
export type SharedObjects = WeakMap<Uint8Array, StoredObject>;

export interface ObjectStoreOptions {
  readonly shared?: SharedObjects;
  /** Told of everything that is asked of the store and waited for. */
  readonly metrics?: KindStorageMetrics;
}

/**
 * The objects under one key prefix of the store. What is read or written is shared: the same revision of the same key
 * is the same `StoredObject` for everybody, for as long as the store hands out the same bytes.
 */
export class ObjectStore {
  readonly #store: Store;
  readonly #codec: StorageCodec;
  readonly #shared: SharedObjects;
  /** Likewise for changes, so that all watchers share one encoding of an event. */
  readonly #changes = new WeakMap<StoreEvent, ObjectChange>();

  readonly #superseded = new SupersededObjects();
  readonly #metrics: KindStorageMetrics | undefined;

  constructor(store: Store, codec: StorageCodec, { shared = new WeakMap(), metrics }: ObjectStoreOptions = {}) {
    this.#store = store;
    this.#codec = codec;
    this.#shared = shared;
    this.#metrics = metrics;
  }

  async get(key: string): Promise<StoredObject | undefined> {
    const entry = await this.#timed('get', this.#store.get(key));
    return entry === undefined ? undefined : this.#share(entry);
  }

  async list(range: KeyRange, options: { readonly limit?: number; readonly at?: Revision }): Promise<ObjectList> {
    const { entries, more, count, revision } = await this.#timed('list', this.#store.range(range, options));
    this.#metrics?.listed(entries.length);
    return { objects: entries.map((entry) => this.#share(entry)), more, count, revision };
  }

  /** Counts what a list has made of the objects that it read. */
  countSelected(evaluated: number, returned: number): void {
    this.#metrics?.selected(evaluated, returned);
  }

  /** `get` without waiting, where the store is in this process; otherwise throws a `StoreError`, reason `Unavailable`. */
  getNow(key: string): StoredObject | undefined {
    const entry = this.#atHand.readNow(key);
    return entry === undefined ? undefined : this.#share(entry);
  }

  /** `list` without waiting, as `getNow`. */
  listNow(range: KeyRange): ObjectList {
    const { entries, more, count, revision } = this.#atHand.rangeNow(range);
    return { objects: entries.map((entry) => this.#share(entry)), more, count, revision };
  }

  revision(): Promise<Revision> {
    return this.#store.revision();
  }

  /** The stored form of an object. */
  encode(object: ApiObject): Uint8Array {
    return this.#codec.encode(withoutResourceVersion(object));
  }

  /** Writes `object`, or answers with what stands in the way: the current object, or 'missing'. */
  async put(key: string, object: ApiObject, options: WriteOptions): Promise<StoredObject | PutConflict> {
    const value = this.#codec.encode(object);
    const own = { key, modRevision: options.expected?.revision ?? 0 };
    const committing = this.#store.commit({
      conditions: [own, ...(options.alongside?.conditions ?? [])],
      operations: [
        { type: 'put', key, value, ...(options.ttlSeconds === undefined ? {} : { ttlSeconds: options.ttlSeconds }) },
        ...(options.alongside?.operations ?? []),
      ],
    });
    const result = await this.#timed(own.modRevision === 0 ? 'create' : 'update', committing);
    if (!result.ok) return this.#conflict(result.current[0], own.modRevision);
    const stored = new StoredObject({ key, value, modRevision: result.revision }, this.#codec).prime(object);
    this.#shared.set(value, stored);
    if (options.expected !== undefined) this.#superseded.add(options.expected);
    return stored;
  }

  /** Removes exactly this revision; answers with the revision of the removal, or with what stands in the way. */
  async remove(expected: StoredObject, alongside?: Alongside): Promise<Revision | PutConflict> {
    const { key } = expected;
    const committing = this.#store.commit({
      conditions: [{ key, modRevision: expected.revision }, ...(alongside?.conditions ?? [])],
      operations: [{ type: 'delete', key }, ...(alongside?.operations ?? [])],
    });
    const result = await this.#timed('delete', committing);
    if (!result.ok) return this.#conflict(result.current[0], expected.revision);
    this.#superseded.add(expected);
    return result.revision;
  }

  /** The state a removed object is reported in: unchanged but for the revision of its removal. */
  atRevision(stored: StoredObject, revision: Revision): StoredObject {
    const past = stored.at(revision);
    this.#superseded.add(past);
    return past;
  }

  async *watch(
    range: KeyRange,
    options: { readonly from: Revision; readonly signal: AbortSignal },
  ): AsyncGenerator<ObjectChanges> {
    for await (const batch of this.#store.watch(range, options)) {
      yield { changes: batch.events.map((event) => this.#change(event)), revision: batch.revision };
    }
  }

  /** Waits for what was asked of the store, and takes the time. */
  async #timed<T>(operation: StorageOperation, asked: Promise<T>): Promise<T> {
    const start = this.#metrics?.begin() ?? 0;
    try {
      const answer = await asked;
      this.#metrics?.ended(operation, start);
      return answer;
    } catch (error) {
      this.#metrics?.ended(operation, start, true);
      throw error;
    }
  }

  get #atHand(): InProcessStore {
    if ('readNow' in this.#store) return this.#store as InProcessStore;
    throw new StoreError('Unavailable', 'Cannot read without waiting: the store is in another process');
  }

  #change(event: StoreEvent): ObjectChange {
    const known = this.#changes.get(event);
    if (known !== undefined) return known;
    const previous = event.previous === undefined ? undefined : this.#share(event.previous);
    const change: ObjectChange =
      event.type === 'put'
        ? { revision: event.entry.modRevision, current: this.#share(event.entry), previous }
        : {
            revision: event.revision,
            current: undefined,
            previous: previous === undefined ? undefined : this.atRevision(previous, event.revision),
          };
    this.#changes.set(event, change);
    return change;
  }

  #share(entry: Entry): StoredObject {
    const known = this.#shared.get(entry.value);
    if (known !== undefined && known.revision === entry.modRevision) return known;
    const stored = new StoredObject(entry, this.#codec);
    this.#shared.set(entry.value, stored);
    return stored;
  }

  #conflict(current: Entry | undefined, expected: Revision): PutConflict {
    if ((current?.modRevision ?? 0) === expected) return { conflictsWith: 'alongside' };
    return { conflictsWith: current === undefined ? 'missing' : this.#share(current) };
  }
}

export interface PutConflict {
  /** What is there now, or that nothing is; 'alongside' when only a condition of the writes beside it failed. */
  readonly conflictsWith: StoredObject | 'missing' | 'alongside';
}

export function isConflicting(result: StoredObject | Revision | PutConflict): result is PutConflict {
  return typeof result === 'object' && 'conflictsWith' in result;
}

function withoutResourceVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
