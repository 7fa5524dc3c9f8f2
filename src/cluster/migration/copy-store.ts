import { resolve } from 'node:path';
import { type Clock, keepAlive, type Logger, type Random, RandomUidSource } from '../../base/index.ts';
import { type Encryption, openEncryption } from '../../encryption/index.ts';
import {
  type EtcdOptions,
  fillEtcd,
  openSnapshotFile,
  restoreFolder,
  type Revision,
  type Snapshot,
  type SnapshotEntry,
  snapshotEtcd,
  snapshotFolder,
  writeSnapshotFile,
} from '../../store/index.ts';
import { StoredKinds } from './stored-kinds.ts';
import { ValueConversion, type ValueForm } from './value-conversion.ts';

/** Where objects are, or are to be. */
export type StorePlace =
  /** The folder of an embedded store. */
  | { readonly type: 'folder'; readonly path: string }
  | { readonly type: 'etcd'; readonly etcd: Pick<EtcdOptions, 'endpoints' | 'prefix' | 'tls'> }
  /** The file of a snapshot. */
  | { readonly type: 'file'; readonly path: string };

/** The stores that `copyStore()` copies between, and how. */
export interface CopyOptions {
  readonly from: StorePlace;
  readonly to: StorePlace;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** The path of an EncryptionConfiguration, needed where encrypted values have to be opened. */
  readonly encryptionConfig?: string;
  /** How far the revision leaps ahead of the one that is copied; default as far as is safe. */
  readonly bumpRevision?: number;
}

/** The number of objects that were copied. */
export interface CopyReport {
  readonly objects: number;
  /** Of them, those that had to be written now. */
  readonly written: number;
  /** What was copied. */
  readonly fromRevision: Revision;
  /** What the target goes on from. */
  readonly revision: Revision;
  /** False when the source was, or may have been, written to since. */
  readonly isFinal: boolean;
  /** False when the store was open as the snapshot was taken, so that clients may have seen later revisions. */
  readonly isOfClosedStore: boolean;
}

/**
 * Copies all objects from one place to another, turning values into the form that they have there.
 *
 * A target that has objects already is refused, except an etcd with a copy from the same place that was not finished: that goes on.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
  const { from, to } = options;
  using _alive = keepAlive(); // waiting for an etcd does not keep the process
  await using source = stoppable(await openSnapshot(from, options), options.signal);
  const { revision: fromRevision, isOfClosedStore } = source.head;
  if (to.type === 'file') {
    const { objects } = await writeSnapshotFile(to.path, source);
    return {
      objects,
      written: objects,
      fromRevision,
      revision: fromRevision,
      isFinal: await isFinal(options, source),
      isOfClosedStore,
    };
  }
  await using encryption = await encryptionOf(options);
  const parts = { kinds: new StoredKinds(options), ...(encryption === undefined ? {} : { encryption }) };
  const conversion = new ValueConversion(source.head, formOf(to), parts);
  const snapshot = conversion.convert(source);
  const bump = options.bumpRevision === undefined ? {} : { bumpRevision: options.bumpRevision };
  if (to.type === 'folder') {
    const { objects, revision } = await restoreFolder(to.path, snapshot, { clock: options.clock, ...bump });
    return {
      objects,
      written: objects,
      fromRevision,
      revision,
      isFinal: await isFinal(options, source),
      isOfClosedStore,
    };
  }
  const { clock, random, log } = options;
  const report = await fillEtcd(snapshot, {
    ...to.etcd,
    clock,
    random,
    log,
    from: describePlace(from),
    ...bump,
    isSame: (key, wanted, found) => conversion.isSame(key, wanted, found),
    isFinal: () => isFinal(options, source),
  });
  return { ...report, fromRevision, isOfClosedStore };
}

/** A place in words: the same ones whenever it is the same place. */
export function describePlace(place: StorePlace): string {
  if (place.type !== 'etcd') return resolve(place.path);
  return `${place.etcd.endpoints.toSorted().join(',')} ${place.etcd.prefix ?? '/registry'}`;
}

function openSnapshot(place: StorePlace, options: CopyOptions): Promise<Snapshot> {
  switch (place.type) {
    case 'folder':
      return snapshotFolder(place.path, options);
    case 'etcd':
      return snapshotEtcd({ ...place.etcd, clock: options.clock, random: options.random, log: options.log });
    case 'file':
      return openSnapshotFile(place.path);
  }
}

function formOf(place: StorePlace): ValueForm {
  if (place.type !== 'etcd') return { form: 'embedded' };
  return { form: 'etcd', ...(place.etcd.prefix === undefined ? {} : { etcdPrefix: place.etcd.prefix }) };
}

/** Whether the source cannot have been written to since; a snapshot file never is. */
async function isFinal({ from, clock, random }: CopyOptions, { head }: Snapshot): Promise<boolean> {
  if (from.type === 'file') return true;
  if (from.type === 'folder') return head.isOfClosedStore;
  await using now = await snapshotEtcd({ ...from.etcd, clock, random });
  return now.head.revision === head.revision;
}

async function encryptionOf(options: CopyOptions): Promise<Encryption | undefined> {
  const { encryptionConfig: path, clock, random, log } = options;
  if (path === undefined) return undefined;
  return openEncryption({ path, isReloading: false }, { clock, random, uids: new RandomUidSource(random), log });
}

function stoppable(snapshot: Snapshot, signal: AbortSignal): Snapshot {
  return { ...snapshot, batches: untilAborted(snapshot.batches, signal) };
}

async function* untilAborted(
  batches: AsyncIterable<readonly SnapshotEntry[]>,
  signal: AbortSignal,
): AsyncGenerator<readonly SnapshotEntry[], void, undefined> {
  for await (const batch of batches) {
    signal.throwIfAborted();
    yield batch;
  }
}
