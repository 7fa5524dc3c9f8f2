import type { Rejection } from './rejection.ts';

/** The nodes of a rejection. */
export interface RejectedNodes {
  readonly count: number;
  readonly names: readonly string[];
}

/** Why no node would do: what each node was rejected for, and by which plugins. */
export class Diagnosis {
  readonly #byNode = new Map<string, Rejection>();
  /** The rejection of all nodes that were not looked at. */
  #forOthers: Rejection | undefined;
  #last: Rejection | undefined;
  readonly unschedulablePlugins = new Set<string>();
  readonly pendingPlugins = new Set<string>();
  /** Set when the pod was rejected before any node was looked at. */
  preFilterMessage = '';
  postFilterMessage = '';

  /** How many nodes were looked at and rejected. */
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

  /** How many nodes each rejection is about, with the names of the first few, at most `maxNames` of each. */
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
    if (rejection === this.#last) return; // thousands of nodes are rejected for the same few reasons
    this.#last = rejection;
    this.blame(rejection);
  }

  rejectOthers(rejection: Rejection): void {
    this.#forOthers = rejection;
  }

  /** Notes the plugin, which is asked for a hint before the pod is tried again. */
  blame({ code, plugin }: Rejection): void {
    if (plugin === '') return;
    if (code === 'Pending') this.pendingPlugins.add(plugin);
    else this.unschedulablePlugins.add(plugin);
  }
}
