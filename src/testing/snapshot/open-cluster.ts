import { startFrom, type StartClusterOptions } from '../start-cluster.ts';
import type { TestCluster } from '../test-cluster.ts';
import type { ClusterSnapshot } from './cluster-snapshot.ts';
import { readSnapshotFile } from './snapshot-file.ts';

/** Options of a saved cluster, whose time and randomness continue. */
export type OpenClusterOptions = Omit<StartClusterOptions, 'seed' | 'startAt'>;

/**
 * Starts a cluster from a file of `cluster.save`, in this or another process, with all objects, revisions, keys and the
 * time. It has the same parts; options that are code, and apps, must be given again.
 */
export async function openCluster(path: string, options: OpenClusterOptions = {}): Promise<TestCluster> {
  const snapshot = checked(await readSnapshotFile(path), path);
  const missing = snapshot.ownCode.filter((name) => !(name in options));
  if (missing.length > 0)
    throw new Error(
      `Cannot open "${path}": the cluster was started with ${missing.join(', ')} of its own, which a file cannot hold: give them again`,
    );
  return startFrom({ ...snapshot.options, ...options }, snapshot);
}

function checked(value: unknown, path: string): ClusterSnapshot {
  const snapshot = value as Partial<ClusterSnapshot> | null;
  const isWhole =
    typeof snapshot?.takenAtMs === 'number' && Array.isArray(snapshot.entries) && typeof snapshot.keys === 'object';
  if (!isWhole) throw new Error(`Cannot open "${path}": it is not a snapshot of a cluster`);
  return snapshot as ClusterSnapshot;
}
