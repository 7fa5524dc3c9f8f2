// What other folders may use: the contract, the errors, the in-process backends and the operations on a store's files.
export type {
  CommitResult,
  Condition,
  Entry,
  ForkableStore,
  HealthReporting,
  InProcessStore,
  KeyRange,
  Operation,
  PastRevision,
  PastRevisions,
  RangeOptions,
  RangeResult,
  ReadOptions,
  Revision,
  Store,
  StoreContents,
  StoreEvent,
  Transaction,
  WatchBatch,
  WatchOptions,
} from './store.ts';
export { isStoreError, StoreError, type StoreFailure } from './errors.ts';
export { contains, prefixRange, singleKey } from './key-range.ts';
export type { TransactionLimits } from './transaction-check.ts';
export type { HistoryLimits } from './mvcc/history.ts';
export type { WatchLimits } from './mvcc/watch-hub.ts';

export { type MemoryStore, type MemoryStoreOptions, openMemoryStore } from './memory/memory-store.ts';
export type { DurableStore, DurableStoreOptions } from './durable/durable-store.ts';
export { openDurableStore } from './durable/open-durable-store.ts';
export { lockFolder } from './durable/folder-lock.ts';
export { type CompactReport, compactStore, type OfflineOptions } from './durable/offline.ts';
export { type FileReport, type StoreProblem, type StoreReport, verifyStore } from './durable/verify-store.ts';
export { snapshotFolder } from './durable/folder-snapshot.ts';
export { restoreFolder, type RestoreOptions, type RestoreReport } from './durable/restore-folder.ts';
export type { Snapshot, SnapshotEntry, SnapshotHead, StoredForm } from './snapshot/snapshot.ts';
export { snapshotBytes } from './snapshot/snapshot-bytes.ts';
export { readSnapshot } from './snapshot/read-snapshot.ts';
export { openSnapshotFile, writeSnapshotFile } from './snapshot/snapshot-file.ts';
export { type RepairReport, repairStore } from './durable/repair-store.ts';
export { type EtcdOptions, openEtcdStore } from './etcd/open-etcd-store.ts';
export { openChannelStore } from './channel/open-channel-store.ts';
export { RevisionBoard } from './channel/revision-board.ts';
export { serveStore } from './channel/serve-store.ts';
export { snapshotEtcd } from './etcd/copy/etcd-snapshot.ts';
export { fillEtcd, type FillOptions, type FillReport } from './etcd/copy/fill-etcd.ts';
export { keyNames } from './etcd/key-names.ts';
