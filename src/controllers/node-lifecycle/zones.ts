import type { Clock } from '../../base/index.ts';
import type { Readiness } from './node-health.ts';
import { PacedQueue } from './paced-queue.ts';
import { type ZoneState, zoneStateOf } from './zone.ts';

export interface EvictionRates {
  /** Nodes per second that are tainted in a normal zone; default 0.1. */
  readonly evictionRate?: number;
  /** The rate in a large zone with many unhealthy nodes; default 0.01. A small zone then has rate 0. */
  readonly secondaryEvictionRate?: number;
  /** A zone with more nodes than this is large; default 50. */
  readonly largeClusterSizeThreshold?: number;
  /** The share of unhealthy nodes that makes a zone disrupted; default 0.55. */
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

/** The result of assessing all zones: no change, every node unhealthy, or some healthy again. */
export type DisruptionChange = 'none' | 'all are lost' | 'some are back';

/**
 * The zones of the cluster, each with a queue of nodes whose pods are to be evicted.
 *
 * The more nodes of a zone are unhealthy, the slower: the network may be the cause. When all nodes of all zones are
 * unhealthy, the nodes are certainly not the cause, and nothing is evicted.
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

  /** Queues the node for the eviction of its pods. */
  enqueue(zone: string, node: string): void {
    this.#zone(zone).queue.add(node);
  }

  dequeue(node: string): void {
    for (const { queue } of this.#zones.values()) queue.remove(node);
  }

  /** Updates the states of the zones and their rates. */
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
