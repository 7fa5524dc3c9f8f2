import { type ApiObject, canonicalObject, forgetSentEmpty, type Struct, withMeta } from '../../api/index.ts';
import { deepFreeze } from '../../base/index.ts';
import type { Entry, Revision } from '../../store/index.ts';
import { jsonText, type StorageCodec } from './storage-codec.ts';
import { type SelectableFields, Traits } from './traits.ts';

/** A version of a kind in which objects can be read; every `Resource` is one. */
interface ReadVersion {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly type: Struct;
  readonly storage: { readonly apiVersion: string; readonly convert?: unknown };
}

/**
 * One object as stored at one revision, with each of its forms made at most once: parsed and frozen, converted to a version, encoded in a
 * format. All readers of the same revision share it.
 */
export class StoredObject {
  readonly key: string;
  readonly revision: Revision;
  /** Whether writing it now would store other bytes, for reasons other than its version, such as a new encryption key. */
  readonly isStale: boolean;
  readonly #value: Uint8Array;
  readonly #codec: StorageCodec;
  #object: ApiObject | undefined;
  /** The object after it was forgotten here, if another component still references it. */
  #elsewhere: WeakRef<ApiObject> | undefined;
  /** The writer's object, until it is first read. */
  #primed: ApiObject | undefined;
  #json: Uint8Array | undefined;
  #storedVersion: string | undefined;
  #forms: Map<string, unknown> | undefined;
  #traits: Traits | undefined;
  #onRemade: ((stored: StoredObject) => void) | undefined;

  constructor(
    entry: Pick<Entry, 'key' | 'value' | 'modRevision'> & { readonly isStale?: boolean },
    codec: StorageCodec,
  ) {
    this.key = entry.key;
    this.isStale = entry.isStale ?? false;
    this.revision = entry.modRevision;
    this.#value = entry.value;
    this.#codec = codec;
  }

  /** The size of the stored bytes. */
  get bytes(): number {
    return this.#value.length;
  }

  /** Saves parsing when the writer still has the object; `object` must be the one that was encoded. */
  prime(object: ApiObject): this {
    this.#primed = object;
    this.#storedVersion = object.apiVersion;
    return this;
  }

  /** Forgets all forms that can be made again from the stored bytes; calls `remade` when one is. */
  forget(remade?: (stored: StoredObject) => void): void {
    this.#object = undefined;
    this.#elsewhere = undefined;
    this.#primed = undefined;
    this.#json = undefined;
    this.#forms = undefined;
    this.#onRemade = remade;
  }

  /**
   * Forgets all forms except converted ones, which readers may rely on. The object itself is found again while another component references
   * it, such as the cache of a program in this process.
   */
  forgetEncodings(remade: (stored: StoredObject) => void): void {
    const converted =
      this.#forms === undefined ? [] : [...this.#forms].filter(([name]) => name.startsWith(OBJECT_FORM));
    const elsewhere = this.#object === undefined ? this.#elsewhere : new WeakRef(this.#object);
    this.forget(remade);
    this.#elsewhere = elsewhere;
    if (converted.length > 0) this.#forms = new Map(converted);
  }

  #made(): void {
    const remade = this.#onRemade;
    this.#onRemade = undefined;
    remade?.(this);
  }

  /** The same state at another revision. */
  at(revision: Revision): StoredObject {
    const stored = new StoredObject({ key: this.key, value: this.#value, modRevision: revision }, this.#codec);
    stored.#primed = this.#object ?? this.#primed;
    return stored;
  }

  /** The same object for a slow reader: `forget` does not remove the form that was converted for it. */
  pinned(resource: ReadVersion): StoredObject {
    if (resource.storage.convert === undefined || this.#isStoredAs(resource)) return this; // made from the bytes
    const pinned = new StoredObject({ key: this.key, value: this.#value, modRevision: this.revision }, this.#codec);
    pinned.#forms = this.#forms;
    return pinned;
  }

  /** The object in the stored version, with resourceVersion set. Frozen: shared by all readers. */
  get object(): ApiObject {
    if (this.#object === undefined) {
      this.#object = this.#elsewhere?.deref() ?? this.#read();
      this.#elsewhere = undefined;
      this.#primed = undefined;
      this.#made();
    }
    return this.#object;
  }

  #read(): ApiObject {
    return frozen(withResourceVersion(this.#primed ?? this.#codec.decode(this.#value), this.revision));
  }

  /** Whether `as` can answer: the object is stored in this version, needs no conversion, or has been converted. */
  isReadableAs(resource: ReadVersion): boolean {
    if (resource.storage.convert === undefined || this.#isStoredAs(resource)) return true;
    return this.#forms?.has(objectForm(resource)) === true;
  }

  /** Whether the object is stored in the version in which a write would store it now. */
  isStoredInVersionOf({ storage }: ReadVersion): boolean {
    return this.#versionIn(storage.apiVersion) === storage.apiVersion;
  }

  /** Keeps the object after conversion to the version of a resource. */
  keepAs(resource: ReadVersion, converted: ApiObject): void {
    this.form(objectForm(resource), () => frozen(renamed(converted, resource)));
  }

  /** The object in the version of a resource; it must have been converted, unless the versions differ in name only. */
  as(resource: ReadVersion): ApiObject {
    if (this.#isStoredAs(resource)) return this.object;
    return this.form(objectForm(resource), () => {
      if (resource.storage.convert !== undefined)
        throw new Error(`Cannot read "${this.key}" in ${apiVersionOf(resource)}: it has not been converted`);
      return frozen(renamed(this.object, resource));
    });
  }

  /** The JSON of the object in the version of a resource, as UTF-8. */
  json(resource: ReadVersion): Uint8Array {
    if (!this.#isStoredAs(resource)) {
      return this.form(`json ${resource.version} ${resource.group}`, () =>
        Buffer.from(jsonText(this.as(resource), resource.type)),
      );
    }
    if (this.#json === undefined) {
      this.#json =
        this.#codec.jsonAt?.(this.#value, this.revision) ?? Buffer.from(jsonText(this.object, resource.type));
      this.#made();
    }
    return this.#json;
  }

  /** The same in pieces, which take no extra memory for a large object. */
  jsonPieces(resource: ReadVersion): readonly Uint8Array[] {
    if (this.#json !== undefined || !this.#isStoredAs(resource)) return [this.json(resource)];
    return this.#codec.jsonPiecesAt?.(this.#value, this.revision) ?? [this.json(resource)];
  }

  /**
   * What selectors evaluate, in the version of a resource. It is kept when other forms are forgotten: far more objects are evaluated than
   * selected, and parsing them each time would be slow.
   */
  traits(resource: ReadVersion & SelectableFields): Traits {
    if (this.#traits?.resource === resource) return this.#traits;
    const traits = new Traits(this.as(resource), resource);
    if (this.bytes < MIN_LARGE_BYTES) this.#traits = traits;
    return traits;
  }

  /** Any other form, made once; the name must identify everything that it depends on. */
  form<T>(name: string, make: () => T): T {
    this.#forms ??= new Map();
    const known = this.#forms.get(name);
    if (known !== undefined) return known as T;
    const made = make();
    this.#forms.set(name, made);
    this.#made();
    return made;
  }

  /** Objects of one kind may be stored in several versions, after its stored version was changed. */
  #isStoredAs(resource: ReadVersion): boolean {
    return isApiVersionOf(this.#versionIn(resource.storage.apiVersion), resource);
  }

  #versionIn(usual: string): string {
    if (this.#storedVersion === undefined) {
      const found = this.#codec.storedVersion?.(this.#value) ?? usual;
      this.#storedVersion = found === usual ? usual : found; // one string for all objects
    }
    return this.#storedVersion;
  }
}

const OBJECT_FORM = 'object ';
/** The forms of objects from this size on are not kept for long. */
export const MIN_LARGE_BYTES = 32 * 1024;

function objectForm({ version, group }: ReadVersion): string {
  return `${OBJECT_FORM}${version} ${group}`;
}

/** Changes the apiVersion. Custom kinds are pruned by the schema of the version; its defaults apply to writes only. */
export function renamed(object: ApiObject, resource: ReadVersion): ApiObject {
  const named = { ...object, kind: resource.kind, apiVersion: apiVersionOf(resource) };
  if (resource.type.isStructural !== true) return named;
  return canonicalObject(named, resource.type);
}

export function apiVersionOf(resource: { readonly group: string; readonly version: string }): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** Called several times for each object of a list, so it builds no string. */
function isApiVersionOf(apiVersion: string, { group, version }: ReadVersion): boolean {
  if (group === '') return apiVersion === version;
  const isAsLong = apiVersion.length === group.length + 1 + version.length;
  return isAsLong && apiVersion.endsWith(version) && apiVersion.startsWith(group) && apiVersion[group.length] === '/';
}

function withResourceVersion(object: ApiObject, revision: Revision): ApiObject {
  return { ...object, metadata: withMeta(object.metadata, { resourceVersion: String(revision) }) };
}

/** Deeply frozen; the static type stays mutable, because a write to it throws at once. */
function frozen(object: ApiObject): ApiObject {
  deepFreeze(object, forgetSentEmpty);
  return object;
}
