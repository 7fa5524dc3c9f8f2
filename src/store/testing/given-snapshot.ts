import type { Snapshot, SnapshotEntry, SnapshotHead } from '../snapshot/snapshot.ts';
import { inBatches } from '../snapshot/snapshot-bytes.ts';

/** A key as tests write it down: its value, and when it expires, if it does. */
export interface GivenKey {
  readonly value: string;
  readonly deadlineMs?: number;
}

export interface GivenOptions extends Partial<SnapshotHead> {
  /** Reading fails after this many keys. */
  readonly breaksAfter?: number;
}

/** A snapshot of these keys, sorted. */
export function givenSnapshot(keys: Readonly<Record<string, GivenKey>>, options: GivenOptions = {}): Snapshot {
  const { breaksAfter = Infinity, ...head } = options;
  const revision = head.revision ?? 1000;
  const sorted = Object.entries(keys).toSorted(([left], [right]) =>
    Buffer.compare(Buffer.from(left), Buffer.from(right)),
  );
  const entries = function* (): Generator<SnapshotEntry> {
    for (const [index, [key, { value, deadlineMs = 0 }]] of sorted.entries()) {
      if (index >= breaksAfter) throw new Error('the source broke');
      yield { entry: { key, value: Buffer.from(value), createRevision: 1, modRevision: 1 }, deadlineMs };
    }
  };
  return {
    head: { revision, isOfClosedStore: true, form: 'etcd', takenMs: 0, ...head },
    batches: inBatches(entries()),
    [Symbol.asyncDispose]: async () => undefined,
  };
}
