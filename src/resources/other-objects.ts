import type { ApiObject, TypeTable } from '../api/index.ts';
import type { Resource, StorageCodec } from '../apiserver/index.ts';
import { prefixRange } from '../store/index.ts';
import type { Operation, Revision, Store } from '../store/index.ts';

/** An object of another kind, with the revision at which it was last written. */
export interface Found {
  readonly object: ApiObject;
  readonly revision: Revision;
}

/**
 * The stored objects of one kind, for rules of another that look at them: a Service takes an IPAddress, an eviction asks
 * the PodDisruptionBudgets.
 */
export class OtherObjects {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #codec: StorageCodec;

  constructor(store: Store, prefix: string, codec: StorageCodec) {
    this.#store = store;
    this.#prefix = prefix;
    this.#codec = codec;
  }

  /** `path` is what follows the kind's prefix: a name, or `namespace/name`. */
  keyOf(path: string): string {
    return `${this.#prefix}${path}`;
  }

  async get(path: string): Promise<Found | undefined> {
    const entry = await this.#store.get(this.keyOf(path));
    if (entry === undefined) return undefined;
    return { object: this.#read(entry.value, entry.modRevision), revision: entry.modRevision };
  }

  /** All objects, or those whose path starts with `folder`, such as `namespace/`. */
  async list(folder = ''): Promise<readonly Found[]> {
    const { entries } = await this.#store.range(prefixRange(this.keyOf(folder)));
    return entries.map((entry) => ({
      object: this.#read(entry.value, entry.modRevision),
      revision: entry.modRevision,
    }));
  }

  /** The write of an object, as part of somebody else's transaction. */
  putting(path: string, object: ApiObject): Operation {
    const { resourceVersion: _, ...metadata } = object.metadata;
    return { type: 'put', key: this.keyOf(path), value: this.#codec.encode({ ...object, metadata }) };
  }

  /** Replaces what was found; false when somebody else was faster. */
  async replace(path: string, found: Found, object: ApiObject): Promise<boolean> {
    const conditions = [{ key: this.keyOf(path), modRevision: found.revision }];
    const { ok } = await this.#store.commit({ conditions, operations: [this.putting(path, object)] });
    return ok;
  }

  #read(value: Uint8Array, revision: Revision): ApiObject {
    const object = this.#codec.decode(value);
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
  }
}

/** How a server keeps its objects as bytes. */
export type CodecFor = (resource: Resource) => StorageCodec;

/** A kind as far as its storage goes, which is all that codecs look at. */
export function storageOfKind(
  types: TypeTable,
  folder: string,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
): Resource {
  const type = types.kind(kind);
  if (type === undefined) throw new Error(`No type for kind "${kind.kind}" in ${kind.group}/${kind.version}`);
  const apiVersion = kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
  const storage = { prefix: `/registry/${folder}/`, apiVersion, kind: kind.kind, type, encoding: 'protobuf' as const };
  return { ...kind, type, storage } as unknown as Resource;
}
