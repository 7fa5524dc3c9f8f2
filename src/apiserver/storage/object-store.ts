import type { ApiObject } from '../../api/index.ts';
import { mapped, type Polled, withPauses } from '../../base/index.ts';
import { StoreError } from '../../store/index.ts';
import type {
  CommitResult,
  Entry,
  InProcessStore,
  KeyRange,
  Operation,
  RangeOptions,
  ReadOptions,
  Revision,
  Store,
  StoreEvent,
} from '../../store/index.ts';
import type { KindStorageMetrics, StorageOperation } from '../metrics/storage-metrics.ts';
import type { Alongside } from '../resource.ts';
import type { StorageCodec } from './storage-codec.ts';
import type { PutConflict } from './put-conflict.ts';
import { ChangeReader, type ObjectChange, type ObjectChanges } from './object-changes.ts';
import { OpenedObjects, type OpenedObjectsOptions } from './opened-objects.ts';
import type { StoredObject } from './stored-object.ts';

export type { ObjectChange, ObjectChanges } from './object-changes.ts';
export type { SharedObjects } from './opened-objects.ts';

export interface ObjectList {
  readonly objects: readonly StoredObject[];
  readonly more: boolean;
  readonly count: number;
  readonly revision: Revision;
}

export interface WriteOptions {
  /** The object that must be stored unchanged; undefined when none must exist. */
  readonly expected: StoredObject | undefined;
  readonly ttlSeconds?: number;
  /** Additional operations for the same transaction. */
  readonly alongside?: Alongside;
  /** Set when the object is large: lets other requests run in between. */
  readonly pause?: () => Promise<void>;
}

interface ObjectWrite {
  readonly key: string;
  readonly object: ApiObject;
  readonly options: WriteOptions;
}

export interface ChangesOptions {
  readonly from: Revision;
  readonly signal: AbortSignal;
  readonly wants?: ((change: ObjectChange) => boolean) | undefined;
}

/** How recent a read must be. */
export type Freshness = Pick<ReadOptions, 'notOlderThan'>;

export interface ObjectStoreOptions extends OpenedObjectsOptions {
  /** Counts and times every asynchronous operation of the store. */
  readonly metrics?: KindStorageMetrics;
}

/**
 * The objects under one key prefix of the store. Objects are shared: all readers and writers get the same `StoredObject` for the same
 * revision of a key, while the store returns the same bytes.
 */
export class ObjectStore {
  readonly #store: Store;
  /** The same store, if it is in this process. */
  readonly #local: InProcessStore | undefined;
  readonly #codec: StorageCodec;
  readonly #opened: OpenedObjects;
  readonly #changes: ChangeReader;
  readonly #metrics: KindStorageMetrics | undefined;

  constructor(store: Store, codec: StorageCodec, options: ObjectStoreOptions = {}) {
    this.#store = store;
    this.#local = isInProcess(store) ? store : undefined;
    this.#codec = codec;
    this.#opened = new OpenedObjects(codec, options);
    this.#changes = new ChangeReader(this.#opened);
    this.#metrics = options.metrics;
  }

  /** The newest state, unless `notOlderThan` permits an older one. Synchronous when the store is in this process. */
  get(key: string, options?: Freshness): StoredObject | undefined | Promise<StoredObject | undefined> {
    if (this.#local?.isNewest !== true) return this.#getLater(key, options);
    const start = this.#metrics?.begin() ?? 0;
    let hasFailed = true;
    try {
      const entry = this.#local.readNow(key);
      hasFailed = false;
      return entry === undefined ? undefined : this.#opened.open(entry);
    } finally {
      this.#metrics?.ended('get', start, hasFailed);
    }
  }

  async #getLater(key: string, options?: Freshness): Promise<StoredObject | undefined> {
    const entry = await this.#timed('get', this.#store.get(key, options));
    return entry === undefined ? undefined : this.#opened.open(entry);
  }

  async list(range: KeyRange, options: Omit<RangeOptions, 'signal'>): Promise<ObjectList> {
    const { entries, more, count, revision } = await this.#timed('list', this.#store.range(range, options));
    this.#metrics?.listed(entries.length);
    if (this.#opened.arePlain)
      return { objects: entries.map((entry) => this.#opened.share(entry)), more, count, revision };
    const objects: StoredObject[] = [];
    for (const entry of entries) {
      const opened = this.#opened.open(entry, true);
      objects.push(opened instanceof Promise ? await opened : opened);
    }
    return { objects, more, count, revision };
  }

  /** Counts the objects that a list evaluated and returned. */
  countSelected(evaluated: number, returned: number): void {
    this.#metrics?.selected(evaluated, returned);
  }

  /** `get` synchronously, when the store is in this process; otherwise throws a `StoreError` with reason `Unavailable`. */
  getNow(key: string): StoredObject | undefined {
    const entry = this.#atHand.readNow(key);
    if (entry === undefined) return undefined;
    return this.#opened.arePlain ? this.#opened.share(entry) : this.#opened.openNow(entry);
  }

  /** The object of an entry that the caller has from the store, such as one of its history. */
  open(entry: Entry): StoredObject | Promise<StoredObject> {
    return this.#opened.open(entry);
  }

  /** The object of stored bytes, if it has been read or written in this process. */
  known(value: Uint8Array): StoredObject | undefined {
    return this.#opened.known(value);
  }

  /** `list` synchronously, like `getNow`. */
  listNow(range: KeyRange): ObjectList {
    const { entries, more, count, revision } = this.#atHand.rangeNow(range);
    return { objects: entries.map((entry) => this.#opened.openNow(entry, true)), more, count, revision };
  }

  revision(options?: Freshness): Promise<Revision> {
    return this.#store.revision(options);
  }

  /** Encodes an object for the store. */
  encode(key: string, object: ApiObject): Uint8Array {
    return this.#opened.toStorage(this.#codec.encode(withoutResourceVersion(object)), key);
  }

  /** Writes `object`, or returns the conflict: the current object, or 'missing'. */
  put(key: string, object: ApiObject, options: WriteOptions): Promise<StoredObject | PutConflict> {
    const { pause } = options;
    const steps = pause === undefined ? undefined : this.#codec.encoding?.(object);
    if (steps === undefined) return this.#put(this.#codec.encode(object), { key, object, options });
    return withPauses(steps, pause).then((plain) => this.#put(plain, { key, object, options }));
  }

  /** Uses `then`: an async function takes three times the memory, and this runs for every write. */
  #put(plain: Uint8Array, write: ObjectWrite): Promise<StoredObject | PutConflict> {
    const { key, object, options } = write;
    const value = this.#opened.toStorage(plain, key);
    this.#opened.begin(value, object);
    const own = { key, modRevision: options.expected?.revision ?? 0 };
    const { alongside, ttlSeconds } = options;
    const put: Operation =
      ttlSeconds === undefined ? { type: 'put', key, value } : { type: 'put', key, value, ttlSeconds };
    const committing = this.#store.commit({
      conditions: alongside?.conditions === undefined ? [own] : [own, ...alongside.conditions],
      operations: alongside?.operations === undefined ? [put] : [put, ...alongside.operations],
    });
    const timed = this.#timed(own.modRevision === 0 ? 'create' : 'update', committing);
    return timed.then<StoredObject | PutConflict>((result) => this.#written(result, { value, plain }, write));
  }

  #written(
    result: CommitResult,
    { value, plain }: { readonly value: Uint8Array; readonly plain: Uint8Array },
    { key, object, options }: ObjectWrite,
  ): StoredObject | Promise<PutConflict> {
    if (!result.ok) return this.#conflict(result.current[0], options.expected?.revision ?? 0);
    if (options.ttlSeconds !== undefined) this.#opened.isExpiring = true;
    const stored = this.#opened.written({ key, value, modRevision: result.revision }, { plain, object });
    if (options.expected !== undefined) this.#opened.superseded(options.expected);
    return stored;
  }

  /** Removes exactly this revision; returns the revision of the removal, or the conflict. */
  async remove(expected: StoredObject, alongside?: Alongside): Promise<Revision | PutConflict> {
    const { key } = expected;
    const committing = this.#store.commit({
      conditions: [{ key, modRevision: expected.revision }, ...(alongside?.conditions ?? [])],
      operations: [{ type: 'delete', key }, ...(alongside?.operations ?? [])],
    });
    const result = await this.#timed('delete', committing);
    if (!result.ok) return await this.#conflict(result.current[0], expected.revision);
    this.#opened.superseded(expected);
    return result.revision;
  }

  /** The final state of a removed object in events: unchanged except for the revision of its removal. */
  atRevision(stored: StoredObject, revision: Revision): StoredObject {
    return this.#opened.atRevision(stored, revision);
  }

  /** May leave out changes for which `wants` returns false. */
  watch(range: KeyRange, { wants, ...options }: ChangesOptions): Polled<ObjectChanges> {
    const concerns =
      wants === undefined || !this.#opened.arePlain
        ? {}
        : { concerns: (event: StoreEvent) => this.#changes.isWanted(event, wants) };
    return mapped(this.#store.watch(range, { ...options, ...concerns }), (batch) => this.#changes.read(batch));
  }

  /** Times an operation of the store. */
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

  async #conflict(current: Entry | undefined, expected: Revision): Promise<PutConflict> {
    if ((current?.modRevision ?? 0) === expected) return { conflictsWith: 'alongside' };
    return { conflictsWith: current === undefined ? 'missing' : await this.#opened.open(current) };
  }
}

function isInProcess(store: Store): store is InProcessStore {
  return 'readNow' in store;
}

function withoutResourceVersion(object: ApiObject): ApiObject {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
