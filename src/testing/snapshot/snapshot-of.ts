import type { ControlPlane } from '../../cluster/index.ts';
import type { ClusterParts } from '../cluster-parts.ts';
import { type ClusterSnapshot, savedEntries, savedKeys } from './cluster-snapshot.ts';

/** Captures the state of a cluster. */
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
