import { ClaimUses } from './claim-uses.ts';
import type { NodeInfo } from './node-info.ts';

/** The nodes as they were when a scheduling cycle began. The cache updates the snapshot before every cycle. */
export class Snapshot {
  /** All nodes by name. Written by the cache only. */
  readonly byName = new Map<string, NodeInfo>();
  /** All nodes, in the order of the search. Written by the cache only. */
  nodes: readonly NodeInfo[] = [];
  /** Which claims pods on nodes use: as they do now, to be asked when a cycle begins. Written by the cache only. */
  claimUses: Pick<ClaimUses, 'isUsed'> = new ClaimUses();
  /** The newest change of the cache that the snapshot contains. */
  generation = 0;

  get(name: string): NodeInfo | undefined {
    return this.byName.get(name);
  }
}
