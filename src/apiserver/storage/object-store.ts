import type { ApiObject } from '../../api/index.ts';
import { mapped, type Polled, withPauses } from '../../base/index.ts';
import { StoreError } from '../../store/index.ts';
import type {
  Entry,
  InProcessStore,
  KeyRange,
  Operation,
  RangeOptions,
  ReadOptions,
  Revision,
  Store,
  StoreEvent,
  WatchBatch,
} from '../../store/index.ts';
import type { KindStorageMetrics, StorageOperation } from '../metrics/storage-metrics.ts';
import type { Alongside } from '../resource.ts';
import { KeptForms } from './kept-forms.ts';
import type { StorageCodec } from './storage-codec.ts';
import type { PutConflict } from './put-conflict.ts';
import { StoredObject } from './stored-object.ts';
import {
  ENCRYPTED_DATA,
  isEncrypted,
  type OpenedValue,
  unreadable,
  type ValueTransformer,
} from './value-transformer.ts';

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
  /** There when the object is large: others have their turns in between. */
  readonly pause?: () => Promise<void>;
}

export interface ChangesOptions {
  readonly from: Revision;
  readonly signal: AbortSignal;
  readonly wants?: ((change: ObjectChange) => boolean) | undefined;
}

/** How new a read has to be. */
export type Freshness = Pick<ReadOptions, 'notOlderThan'>;

/**
 * What was made of stored bytes, by their identity, which an in-process store keeps for as long as the entry lives. Stores
 * that are forks of each other hold the same bytes, and can share this.
 */
export type SharedObjects = WeakMap<Uint8Array, StoredObject>;

type StoredEntry = Pick<Entry, 'key' | 'value' | 'modRevision'>;

/** An object and its encoding, before it was enciphered if it was. */
interface Written {
  readonly plain: Uint8Array;
  readonly object: ApiObject;
}

export interface ObjectStoreOptions {
  readonly shared?: SharedObjects;
  /** Decides how long what was made is kept; others may share it. */
  readonly forms?: KeptForms;
  /** Stands between encoded objects and the store; values are stored as they are unless given. */
  readonly transformer?: ValueTransformer;
  /** Told of everything that is asked of the store and waited for. */
  readonly metrics?: KindStorageMetrics;
}

/**
 * The objects under one key prefix of the store. What is read or written is shared: the same revision of the same key
 * is the same `StoredObject` for everybody, for as long as the store hands out the same bytes.
 */
export class ObjectStore {
  readonly #store: Store;
  /** The same store, where it is in this process. */
  readonly #local: InProcessStore | undefined;
  readonly #codec: StorageCodec;
  readonly #shared: SharedObjects;
  /** Objects that are being written, by their stored bytes: watchers may hear of one before its writer does. */
  readonly #underWay = new WeakMap<Uint8Array, ApiObject>();
  /** Likewise for changes, so that all watchers share one encoding of an event. */
  readonly #changes = new WeakMap<StoreEvent, ObjectChange>();
  readonly #batches = new WeakMap<WatchBatch, ObjectChanges>();
  readonly #forms: KeptForms;
  /** Objects of this kind expire. */
  #isExpiring = false;
  readonly #metrics: KindStorageMetrics | undefined;
  readonly #transformer: ValueTransformer | undefined;
  /** By stored value: the generation in which it was opened. */
  readonly #generations = new WeakMap<Uint8Array, number>();

  constructor(store: Store, codec: StorageCodec, options: ObjectStoreOptions = {}) {
    const { shared = new WeakMap(), forms = new KeptForms(), metrics, transformer } = options;
    this.#forms = forms;
    this.#transformer = transformer;
    this.#store = store;
    this.#local = isInProcess(store) ? store : undefined;
    this.#codec = codec;
    this.#shared = shared;
    this.#metrics = metrics;
  }

  /** The newest, unless `notOlderThan` is content with less. Without a promise where nobody has to be waited for. */
  get(key: string, options?: Freshness): StoredObject | undefined | Promise<StoredObject | undefined> {
    if (this.#local?.isNewest !== true) return this.#getLater(key, options);
    const start = this.#metrics?.begin() ?? 0;
    let hasFailed = true;
    try {
      const entry = this.#local.readNow(key);
      hasFailed = false;
      return entry === undefined ? undefined : this.#open(entry);
    } finally {
      this.#metrics?.ended('get', start, hasFailed);
    }
  }

  async #getLater(key: string, options?: Freshness): Promise<StoredObject | undefined> {
    const entry = await this.#timed('get', this.#store.get(key, options));
    return entry === undefined ? undefined : this.#open(entry);
  }

  async list(range: KeyRange, options: Omit<RangeOptions, 'signal'>): Promise<ObjectList> {
    const { entries, more, count, revision } = await this.#timed('list', this.#store.range(range, options));
    this.#metrics?.listed(entries.length);
    if (this.#transformer === undefined)
      return { objects: entries.map((entry) => this.#share(entry)), more, count, revision };
    const objects: StoredObject[] = [];
    for (const entry of entries) {
      const opened = this.#open(entry, true);
      objects.push(opened instanceof Promise ? await opened : opened);
    }
    return { objects, more, count, revision };
  }

  /** Counts what a list has made of the objects that it read. */
  countSelected(evaluated: number, returned: number): void {
    this.#metrics?.selected(evaluated, returned);
  }

  /** `get` without waiting, where the store is in this process; otherwise throws a `StoreError`, reason `Unavailable`. */
  getNow(key: string): StoredObject | undefined {
    const entry = this.#atHand.readNow(key);
    if (entry === undefined) return undefined;
    return this.#transformer === undefined ? this.#share(entry) : this.#openNow(entry);
  }

  /** What stored bytes stand for, where somebody has read or written them. */
  known(value: Uint8Array): StoredObject | undefined {
    return this.#shared.get(value);
  }

  /** `list` without waiting, as `getNow`. */
  listNow(range: KeyRange): ObjectList {
    const { entries, more, count, revision } = this.#atHand.rangeNow(range);
    return { objects: entries.map((entry) => this.#openNow(entry, true)), more, count, revision };
  }

  revision(options?: Freshness): Promise<Revision> {
    return this.#store.revision(options);
  }

  /** The stored form of an object. */
  encode(key: string, object: ApiObject): Uint8Array {
    return this.#toStorage(this.#codec.encode(withoutResourceVersion(object)), key);
  }

  /** Writes `object`, or answers with what stands in the way: the current object, or 'missing'. */
  async put(key: string, object: ApiObject, options: WriteOptions): Promise<StoredObject | PutConflict> {
    const { pause } = options;
    const steps = pause === undefined ? undefined : this.#codec.encoding?.(object);
    const plain = steps === undefined ? this.#codec.encode(object) : await withPauses(steps, pause);
    const value = this.#toStorage(plain, key);
    if (this.#transformer === undefined) this.#underWay.set(value, object);
    const own = { key, modRevision: options.expected?.revision ?? 0 };
    const { alongside, ttlSeconds } = options;
    const put: Operation =
      ttlSeconds === undefined ? { type: 'put', key, value } : { type: 'put', key, value, ttlSeconds };
    const committing = this.#store.commit({
      conditions: alongside?.conditions === undefined ? [own] : [own, ...alongside.conditions],
      operations: alongside?.operations === undefined ? [put] : [put, ...alongside.operations],
    });
    const result = await this.#timed(own.modRevision === 0 ? 'create' : 'update', committing);
    if (!result.ok) return await this.#conflict(result.current[0], own.modRevision);
    if (options.ttlSeconds !== undefined) this.#isExpiring = true;
    const stored = this.#written({ key, value, modRevision: result.revision }, { plain, object });
    if (options.expected !== undefined) this.#forms.superseded(options.expected);
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
    if (!result.ok) return await this.#conflict(result.current[0], expected.revision);
    this.#forms.superseded(expected);
    return result.revision;
  }

  /** The state a removed object is reported in: unchanged but for the revision of its removal. */
  atRevision(stored: StoredObject, revision: Revision): StoredObject {
    const past = stored.at(revision);
    this.#forms.superseded(past);
    return past;
  }

  /** Changes that `wants` does not want may be left out. */
  watch(range: KeyRange, { wants, ...options }: ChangesOptions): Polled<ObjectChanges> {
    const concerns =
      wants === undefined || this.#transformer !== undefined
        ? {}
        : { concerns: (event: StoreEvent) => this.#isWanted(event, wants) };
    return mapped(this.#store.watch(range, { ...options, ...concerns }), (batch) => {
      const known = this.#batches.get(batch);
      if (known !== undefined) return known;
      return this.#transformer === undefined ? this.#changesOf(batch) : this.#openAll(batch);
    });
  }

  #isWanted(event: StoreEvent, wants: NonNullable<ChangesOptions['wants']>): boolean {
    try {
      return wants(this.#change(event));
    } catch {
      return true; // the reader will meet it
    }
  }

  async #openAll(batch: WatchBatch): Promise<ObjectChanges> {
    for (const event of batch.events) {
      const opening = this.#openChange(event);
      if (opening !== undefined) await opening;
    }
    return this.#changesOf(batch);
  }

  #changesOf(batch: WatchBatch): ObjectChanges {
    const changes = { changes: batch.events.map((event) => this.#change(event)), revision: batch.revision };
    if (this.#transformer === undefined) this.#batches.set(batch, changes);
    return changes;
  }

  /** What was asked of the store, with its time taken. */
  #timed<T>(operation: StorageOperation, asked: Promise<T>): Promise<T> {
    const metrics = this.#metrics;
    if (metrics === undefined) return asked;
    const start = metrics.begin();
    asked.then(
      () => metrics.ended(operation, start),
      () => metrics.ended(operation, start, true),
    );
    return asked;
  }

  get #atHand(): InProcessStore {
    if (this.#local !== undefined) return this.#local;
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

  #toStorage(value: Uint8Array, key: string): Uint8Array {
    if (this.#transformer === undefined) return value;
    try {
      return this.#transformer.toStorage(value, key);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** What was made of a stored value; values that have been opened already are not opened again. */
  #share(entry: StoredEntry): StoredObject {
    const known = this.#shared.get(entry.value);
    if (known !== undefined && known.revision === entry.modRevision) return known;
    return this.#make(entry);
  }

  #make(entry: StoredEntry): StoredObject {
    if (this.#transformer === undefined && isEncrypted(entry.value)) throw unreadable(new Error(ENCRYPTED_DATA));
    const object = this.#underWay.get(entry.value);
    const stored = object === undefined ? this.#read(entry) : new StoredObject(entry, this.#codec).prime(object);
    this.#shared.set(entry.value, stored);
    return stored;
  }

  #written(entry: StoredEntry, { plain, object }: Written): StoredObject {
    const { value } = entry;
    let stored: StoredObject;
    if (this.#transformer === undefined) {
      stored = this.#share(entry);
      this.#underWay.delete(value);
    } else {
      stored = new StoredObject({ ...entry, value: plain }, this.#codec).prime(object);
      this.#keep(value, stored);
    }
    this.#forms.written(stored, { isExpiring: this.#isExpiring });
    return stored;
  }

  #read(entry: ConstructorParameters<typeof StoredObject>[0]): StoredObject {
    const stored = new StoredObject(entry, this.#codec);
    this.#forms.found(stored, { isExpiring: this.#isExpiring });
    return stored;
  }

  #keep(value: Uint8Array, stored: StoredObject): void {
    this.#shared.set(value, stored);
    if (this.#transformer !== undefined) this.#generations.set(value, this.#transformer.generation);
  }

  /** The object in a stored value; `isListed` says how a failure is told. */
  #open(entry: Entry, isListed = false): StoredObject | Promise<StoredObject> {
    const transformer = this.#transformer;
    if (transformer === undefined) return this.#share(entry);
    const known = this.#shared.get(entry.value);
    const isCurrent = this.#generations.get(entry.value) === transformer.generation;
    if (known !== undefined && isCurrent && known.revision === entry.modRevision) return known;
    const { generation } = transformer;
    const made = ({ value, isStale }: OpenedValue): StoredObject => {
      const { key, modRevision } = entry;
      const stored = this.#read({ key, value, modRevision, isStale });
      this.#shared.set(entry.value, stored);
      this.#generations.set(entry.value, generation);
      return stored;
    };
    const failed = (error: unknown): never => {
      throw unreadable(error, isListed ? entry.key : undefined);
    };
    try {
      const opened = transformer.fromStorage(entry.value, entry.key);
      return opened instanceof Promise ? opened.then(made, failed) : made(opened);
    } catch (error) {
      return failed(error);
    }
  }

  #openNow(entry: Entry, isListed = false): StoredObject {
    const opened = this.#open(entry, isListed);
    if (!(opened instanceof Promise)) return opened;
    opened.catch(() => undefined); // whoever asks again without haste is told
    throw new StoreError('Unavailable', 'Cannot read without waiting: the value has to be decrypted elsewhere');
  }

  /** Opens the values of an event, so that `#share` finds them opened; nothing to wait for unless it answers. */
  #openChange(event: StoreEvent): void | Promise<void> {
    const entries = [event.previous, event.type === 'put' ? event.entry : undefined];
    const opening = entries.flatMap((entry) => {
      const opened = entry === undefined ? undefined : this.#open(entry);
      return opened instanceof Promise ? [opened] : [];
    });
    if (opening.length > 0) return Promise.all(opening).then(() => undefined);
  }

  async #conflict(current: Entry | undefined, expected: Revision): Promise<PutConflict> {
    if ((current?.modRevision ?? 0) === expected) return { conflictsWith: 'alongside' };
    return { conflictsWith: current === undefined ? 'missing' : await this.#open(current) };
  }
}

function isInProcess(store: Store): store is InProcessStore {
  return 'readNow' in store;
}

function withoutResourceVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
