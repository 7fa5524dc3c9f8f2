import type { Clock } from '../../base/index.ts';
import type { Readiness } from './node-health.ts';
import { PacedQueue } from './paced-queue.ts';
import { type ZoneState, zoneStateOf } from './zone.ts';

export interface EvictionRates {
  /** Nodes a second whose pods are evicted in a zone that is in order; 0.1 unless given. */
  readonly evictionRate?: number;
  /** The same in a zone with many bad nodes, if it is a large one; 0.01 unless given. In a small one none are. */
  readonly secondaryEvictionRate?: number;
  /** A zone with more nodes than this is large; 50 unless given. */
  readonly largeClusterSizeThreshold?: number;
  /** The share of bad nodes from which on there are many; 0.55 unless given. */
  readonly unhealthyZoneThreshold?: number;
}

export interface ZonesOptions {
  readonly clock: Clock;
  readonly rates: EvictionRates;
  /** Pods may be evicted from this node now. */
  readonly onTurn: (node: string) => void;
}

interface Zone {
  state: ZoneState;
  readonly queue: PacedQueue;
}

/** What a look at all zones leads to: nothing more, or all nodes being taken as lost, or no longer. */
export type DisruptionChange = 'none' | 'all are lost' | 'some are back';

/**
 * The zones of the cluster, each with a queue of nodes whose pods are to be evicted.
 *
 * The more of a zone is bad, the slower: it may be the network, not the nodes. When all nodes of all zones are bad, it
 * certainly is not the nodes, and nothing is evicted at all.
 */
export class Zones implements Disposable {
  readonly #options: ZonesOptions;
  readonly #rates: Required<EvictionRates>;
  readonly #zones = new Map<string, Zone>();

  constructor(options: ZonesOptions) {
    this.#options = options;
    this.#rates = {
      evictionRate: 0.1,
      secondaryEvictionRate: 0.01,
      largeClusterSizeThreshold: 50,
      unhealthyZoneThreshold: 0.55,
      ...options.rates,
    };
  }

  /** The node's pods are to be evicted, when its turn comes. */
  enqueue(zone: string, node: string): void {
    this.#zone(zone).queue.add(node);
  }

  dequeue(node: string): void {
    for (const { queue } of this.#zones.values()) queue.remove(node);
  }

  /** Takes in how ready the nodes of each zone are now, and sets the rates to that. */
  assess(readiness: ReadonlyMap<string, readonly (Readiness | undefined)[]>): DisruptionChange {
    const states = new Map(
      [...readiness].map(([zone, nodes]) => [zone, zoneStateOf(nodes, this.#rates.unhealthyZoneThreshold)]),
    );
    for (const [name, zone] of this.#zones) if (!states.has(name)) zone.state = 'initial';
    const wereAllLost = [...states.keys()].every((name) => this.#zone(name).state === 'full disruption');
    const areAllLost = [...states.values()].every((state) => state === 'full disruption');
    if (wereAllLost && areAllLost) return 'none';
    for (const [name, state] of states) {
      const zone = this.#zone(name);
      if (state === zone.state && !wereAllLost && !areAllLost) continue;
      zone.state = state;
      zone.queue.setRate(areAllLost ? 0 : this.#rateFor(state, readiness.get(name)?.length ?? 0));
    }
    if (areAllLost) return 'all are lost';
    return wereAllLost ? 'some are back' : 'none';
  }

  [Symbol.dispose](): void {
    for (const { queue } of this.#zones.values()) queue[Symbol.dispose]();
  }

  #zone(name: string): Zone {
    const known = this.#zones.get(name);
    if (known !== undefined) return known;
    const { clock, onTurn } = this.#options;
    const queue = new PacedQueue({ clock, perSecond: this.#rates.evictionRate, onTurn });
    const zone: Zone = { state: 'initial', queue };
    this.#zones.set(name, zone);
    return zone;
  }

  #rateFor(state: ZoneState, size: number): number {
    const { evictionRate, secondaryEvictionRate, largeClusterSizeThreshold } = this.#rates;
    if (state !== 'partial disruption') return evictionRate;
    return size > largeClusterSizeThreshold ? secondaryEvictionRate : 0;
  }
}
