import type { ControlPlane } from '../../cluster/index.ts';
import type { ClusterParts } from '../cluster-parts.ts';
import { type ClusterSnapshot, savedEntries, savedKeys } from './cluster-snapshot.ts';

/** All of a cluster, to be written to a file. */
export function snapshotOf(plane: ControlPlane, { world, random, made, wire }: ClusterParts): ClusterSnapshot {
  const contents = plane.contents();
  return {
    takenAtMs: world.clock.now(),
    seed: wire.options.seed,
    random: random.state,
    ...made,
    revision: contents.revision,
    entries: savedEntries(contents),
    keys: savedKeys(plane),
  };
}
