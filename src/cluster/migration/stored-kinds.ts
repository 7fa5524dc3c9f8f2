import { builtInTypes } from '../../api/index.ts';
import {
  jsonStorage,
  protobufStorage,
  ServerObjects,
  type StorageCodec,
  type StoredKind,
} from '../../apiserver/index.ts';
import { type Clock, discardLogger, type Random } from '../../base/index.ts';
import { builtInResources } from '../../resources/index.ts';
import { openMemoryStore, type StoredForm } from '../../store/index.ts';

/** A kind whose objects are encoded differently in the embedded store and in etcd. */
export interface RecodedKind {
  readonly group: string;
  readonly plural: string;
  readonly codecs: Readonly<Record<StoredForm, StorageCodec>>;
}

/** The built-in kinds by where they are kept. Custom kinds are encoded alike everywhere. */
export class StoredKinds {
  readonly #byPrefix = new Map<string, RecodedKind>();

  constructor(options: { readonly clock: Clock; readonly random: Random }) {
    const codecFor = (kind: StoredKind): StorageCodec => this.#add(kind);
    const objects = new ServerObjects({
      store: openMemoryStore(options),
      codecFor,
      clock: options.clock,
      log: discardLogger,
    });
    builtInResources(builtInTypes(), { objects, ...options });
  }

  /** Undefined for keys of custom kinds, and for those that no kind has. */
  of(key: string): RecodedKind | undefined {
    let end = ROOT.length;
    for (let depth = 0; depth < MAX_DEPTH; depth++) {
      end = key.indexOf('/', end) + 1;
      if (end === 0) return undefined;
      const kind = this.#byPrefix.get(key.slice(0, end));
      if (kind !== undefined) return kind;
    }
    return undefined;
  }

  #add({ group, plural, storage }: StoredKind): StorageCodec {
    const embedded = jsonStorage(storage.type, storage.typeOf, storage);
    if (storage.encoding === 'protobuf') {
      const etcd = protobufStorage(storage.type, storage);
      this.#byPrefix.set(storage.prefix, { group, plural, codecs: { embedded, etcd } });
    }
    return embedded;
  }
}

const ROOT = '/registry/';
/** Prefixes have one or two parts behind the root, such as `services/specs/`. */
const MAX_DEPTH = 2;
