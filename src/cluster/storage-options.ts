import type { Duplex } from 'node:stream';
import type { ServerObjectsOptions, SharedObjects, StorageCodec, StoredKind } from '../apiserver/index.ts';
import { jsonStorage, protobufStorage } from '../apiserver/index.ts';
import { type Clock, type Duration, type Logger, type Random } from '../base/index.ts';
import type { EncryptionOptions } from '../encryption/index.ts';
import { keyNames, openChannelStore, openDurableStore, openEtcdStore, openMemoryStore } from '../store/index.ts';
import type {
  DurableStoreOptions,
  EtcdOptions,
  ForkableStore,
  HistoryLimits,
  Store,
  StoreContents,
} from '../store/index.ts';

/** Where a cluster keeps its objects, and in which form. */
export type StorageOptions = StoreOptions & StoredFormOptions;

/** How objects are stored, wherever that is. */
export interface StoredFormOptions {
  /** Encrypts what is stored; default nothing is encrypted. */
  readonly encryption?: EncryptionOptions;
  /** How long Events are kept; default an hour. */
  readonly eventTtl?: Duration;
}

type StoreOptions =
  | { readonly type: 'memory'; readonly contents?: StoreContents; readonly history?: HistoryLimits }
  | ({ readonly type: 'durable'; readonly folder: string } & EmbeddedStoreOptions)
  | { readonly type: 'etcd'; readonly etcd: Omit<EtcdOptions, 'clock' | 'random' | 'log' | 'signal'> }
  /** The store of another process, which writes its revision to `boardFd`. */
  | { readonly type: 'channel'; readonly channel: Duplex; readonly boardFd?: number };

/** Settings of the embedded store. */
type EmbeddedStoreOptions = Pick<
  DurableStoreOptions,
  'syncs' | 'history' | 'checkpointAfterBytes' | 'checkpointInterval'
>;

export interface OpenStorage {
  readonly store: Store;
  readonly codecFor: (kind: StoredKind) => StorageCodec;
  /** What a key is called where others see it; default the key itself. */
  readonly keyName?: (key: string) => string;
  /** What stands between the objects of a kind and the store. */
  readonly transformerFor?: ServerObjectsOptions['transformerFor'];
  /** What has been made of the stored bytes, for stores that keep them in this process. */
  readonly shared?: SharedObjects;
}

/** Opens the store, and says how objects look in it: JSON in our own, in etcd what kube-apiserver writes there. */
export async function openStorage(
  options: StorageOptions,
  parts: { readonly clock: Clock; readonly random: Random; readonly log: Logger; readonly signal: AbortSignal },
): Promise<OpenStorage> {
  const names = keyNames(options.type === 'etcd' ? options.etcd.prefix : undefined);
  switch (options.type) {
    case 'memory':
      return {
        store: openMemoryStore({
          ...parts,
          ...(options.history === undefined ? {} : { history: options.history }),
          ...(options.contents === undefined ? {} : { contents: options.contents }),
        }),
        codecFor: asJson,
        shared: new WeakMap(),
      };
    case 'durable': {
      const { type: _, folder, encryption: __, eventTtl: ___, ...embedded } = options;
      return { store: await openDurableStore(folder, { ...parts, ...embedded }), codecFor: asJson };
    }
    case 'channel': {
      const { channel, boardFd } = options;
      const store = openChannelStore(channel, { ...parts, ...(boardFd === undefined ? {} : { boardFd }) });
      return { store, codecFor: asJson };
    }
    case 'etcd':
      return {
        store: await openEtcdStore({ ...options.etcd, ...parts }),
        keyName: (key) => names.toEtcd(key),
        codecFor: (kind) =>
          kind.storage.encoding === 'json' ? asJson(kind) : protobufStorage(kind.storage.type, kind.storage),
      };
  }
}

/** An independent copy of a store, as of now, or as it is to begin with. */
export function forkStorage(
  storage: OpenStorage,
  { clock, contents }: { readonly clock: Clock; readonly contents?: StoreContents },
): OpenStorage {
  if (contents !== undefined) return { ...storage, store: openMemoryStore({ clock, contents }) };
  return { ...storage, store: forkable(storage).fork({ clock }) };
}

/** What is in a store of this process. */
export function storedContents(storage: OpenStorage): StoreContents {
  return forkable(storage).contents();
}

function forkable({ store }: OpenStorage): ForkableStore {
  if (!isForkable(store)) throw new Error('Cannot fork the cluster: its store is not in memory');
  return store;
}

function asJson({ storage }: StoredKind): StorageCodec {
  return jsonStorage(storage.type, storage.typeOf, storage);
}

function isForkable(store: Store): store is ForkableStore {
  return 'fork' in store;
}
