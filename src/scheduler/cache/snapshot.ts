import type { NodeInfo } from './node-info.ts';

/** The nodes as they were when a scheduling cycle began. The cache brings it up to date before each. */
export class Snapshot {
  /** By name. Written by the cache only. */
  readonly byName = new Map<string, NodeInfo>();
  /** In the order in which they are looked at. Written by the cache only. */
  nodes: readonly NodeInfo[] = [];
  /** All changes up to this one are in it. */
  generation = 0;

  get(name: string): NodeInfo | undefined {
    return this.byName.get(name);
  }
}
