import type { ApiObject } from '../../api/index.ts';
import { type Entry, type Revision, StoreError } from '../../store/index.ts';
import { KeptForms } from './kept-forms.ts';
import type { StorageCodec } from './storage-codec.ts';
import { StoredObject } from './stored-object.ts';
import {
  ENCRYPTED_DATA,
  isEncrypted,
  type OpenedValue,
  unreadable,
  type ValueTransformer,
} from './value-transformer.ts';

/**
 * Decoded objects, by the identity of their stored bytes, which an in-process store keeps while the entry exists. Stores that are forks of
 * each other hold the same bytes, and can share this.
 */
export type SharedObjects = WeakMap<Uint8Array, StoredObject>;

export type StoredEntry = Pick<Entry, 'key' | 'value' | 'modRevision'>;

/** An object and its encoding before encryption. */
export interface Written {
  readonly plain: Uint8Array;
  readonly object: ApiObject;
}

export interface OpenedObjectsOptions {
  readonly shared?: SharedObjects;
  /** Decides how long forms of objects are cached; several stores may share it. */
  readonly forms?: KeptForms;
  /** Transforms encoded objects for the store, such as by encryption; default none. */
  readonly transformer?: ValueTransformer;
}

/**
 * The objects of stored values. All readers get the same `StoredObject` for the same revision of a key, while the store returns the same
 * bytes.
 */
export class OpenedObjects {
  readonly #codec: StorageCodec;
  readonly #shared: SharedObjects;
  /** Objects that are being written, by their stored bytes: a watch may get one before its writer's promise resolves. */
  readonly #underWay = new WeakMap<Uint8Array, ApiObject>();
  readonly #forms: KeptForms;
  readonly #transformer: ValueTransformer | undefined;
  /** By stored value: the transformer's generation when it was decrypted. */
  readonly #generations = new WeakMap<Uint8Array, number>();
  /** Whether objects of this kind expire. */
  isExpiring = false;

  constructor(codec: StorageCodec, options: OpenedObjectsOptions) {
    const { shared = new WeakMap(), forms = new KeptForms(), transformer } = options;
    this.#codec = codec;
    this.#shared = shared;
    this.#forms = forms;
    this.#transformer = transformer;
  }

  /** Whether stored values are not transformed. */
  get arePlain(): boolean {
    return this.#transformer === undefined;
  }

  /** The object of stored bytes, if it has been read or written in this process. */
  known(value: Uint8Array): StoredObject | undefined {
    return this.#shared.get(value);
  }

  /** Transforms an encoded object into its stored value. */
  toStorage(value: Uint8Array, key: string): Uint8Array {
    if (this.#transformer === undefined) return value;
    try {
      return this.#transformer.toStorage(value, key);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** Called before the value of this object is stored. */
  begin(value: Uint8Array, object: ApiObject): void {
    if (this.#transformer === undefined) this.#underWay.set(value, object);
  }

  /** The object of a stored value; values are decrypted only once. */
  share(entry: StoredEntry): StoredObject {
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

  written(entry: StoredEntry, { plain, object }: Written): StoredObject {
    const { value } = entry;
    let stored: StoredObject;
    if (this.#transformer === undefined) {
      stored = this.share(entry);
      this.#underWay.delete(value);
    } else {
      stored = new StoredObject({ ...entry, value: plain }, this.#codec).prime(object);
      this.#keep(value, stored);
    }
    this.#forms.written(stored, { isExpiring: this.isExpiring });
    return stored;
  }

  #read(entry: ConstructorParameters<typeof StoredObject>[0]): StoredObject {
    const stored = new StoredObject(entry, this.#codec);
    this.#forms.found(stored, { isExpiring: this.isExpiring });
    return stored;
  }

  #keep(value: Uint8Array, stored: StoredObject): void {
    this.#shared.set(value, stored);
    if (this.#transformer !== undefined) this.#generations.set(value, this.#transformer.generation);
  }

  /** Decrypts and decodes a stored value; `isListed` selects the error message for lists. */
  open(entry: Entry, isListed = false): StoredObject | Promise<StoredObject> {
    const transformer = this.#transformer;
    if (transformer === undefined) return this.share(entry);
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

  openNow(entry: Entry, isListed = false): StoredObject {
    const opened = this.open(entry, isListed);
    if (!(opened instanceof Promise)) return opened;
    opened.catch(() => undefined); // an asynchronous read will get the error
    throw new StoreError('Unavailable', 'Cannot read without waiting: the value has to be decrypted elsewhere');
  }

  /** Called when a newer state has replaced this one. */
  superseded(stored: StoredObject): void {
    this.#forms.superseded(stored);
  }

  /** The final state of a removed object in events: unchanged except for the revision of its removal. */
  atRevision(stored: StoredObject, revision: Revision): StoredObject {
    const past = stored.at(revision);
    this.#forms.superseded(past);
    return past;
  }
}
