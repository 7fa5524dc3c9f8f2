import type { Rejection } from './rejection.ts';

/** The nodes of a rejection. */
export interface RejectedNodes {
  readonly count: number;
  readonly names: readonly string[];
}

/** Why no node fits: the rejection of each node, and the plugins responsible. */
export class Diagnosis {
  readonly #byNode = new Map<string, Rejection>();
  /** The rejection that applies to all nodes without one of their own. */
  #forOthers: Rejection | undefined;
  #last: Rejection | undefined;
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  /** Set when PreFilter rejected the pod, before any node was evaluated. */
  preFilterMessage = '';
  postFilterMessage = '';

  /** The number of nodes that were evaluated and rejected. */
  get size(): number {
    return this.#byNode.size;
  }

  get forOthers(): Rejection | undefined {
    return this.#forOthers;
  }

  get(nodeName: string): Rejection | undefined {
    return this.#byNode.get(nodeName) ?? this.#forOthers;
  }

  entries(): IterableIterator<[string, Rejection]> {
    return this.#byNode.entries();
  }

  /** The number of nodes per rejection, with up to `maxNames` node names each. */
  tally(maxNames = 0): ReadonlyMap<Rejection, RejectedNodes> {
    const tallies = new Map<Rejection, { count: number; names: string[] }>();
    let last: Rejection | undefined;
    let tally = { count: 0, names: [] as string[] };
    this.#byNode.forEach((rejection, name) => {
      if (rejection !== last) {
        last = rejection;
        tally = tallies.get(rejection) ?? { count: 0, names: [] };
        tallies.set(rejection, tally);
      }
      tally.count += 1;
      if (tally.names.length < maxNames) tally.names.push(name);
    });
    return tallies;
  }

  reject(nodeName: string, rejection: Rejection): void {
    this.#byNode.set(nodeName, rejection);
    if (rejection === this.#last) return; // fast path: thousands of nodes are rejected for the same few reasons
    this.#last = rejection;
    this.blame(rejection);
  }

  rejectOthers(rejection: Rejection): void {
    this.#forOthers = rejection;
  }

  /** Records the plugin, whose queueing hints decide when the pod is tried again. */
  blame({ code, plugin }: Rejection): void {
    if (plugin === '') return;
    if (code === 'Pending') this.pendingPlugins.add(plugin);
    else this.unschedulablePlugins.add(plugin);
  }
}
