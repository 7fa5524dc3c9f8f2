import { Node } from '../../client/index.ts';
import type { EndpointSlice, Observed } from '../../client/index.ts';
import { type ReconcileContext, watch, type Watch } from '../../kit/index.ts';
import { zoneOf } from '../service-backends/services-of.ts';
import type { AddressFamily } from './desired-slices.ts';
import type { SliceChanges } from './slice-changes.ts';
import { hintedChanges } from './zone-hints.ts';
import { isNodeReady, isOverloaded, type ZoneShares, zoneShares } from './zone-shares.ts';

interface FamilyOfService {
  readonly key: string;
  readonly family: AddressFamily;
  readonly live: readonly Observed<EndpointSlice>[];
}

/** An event about a service. */
export interface ZoneReport {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Tracks the services with topology-aware routing, and how their endpoints serve the zones. */
export class ZoneTraffic {
  /** By service and address family. */
  readonly #endpointsByZone = new Map<string, Map<string, ReadonlyMap<string, number>>>();
  /** Computed lazily after nodes have changed. */
  #shares: { readonly value: ZoneShares | undefined } | undefined;

  /** Requeues services whose zones have too few endpoints after nodes were added, removed or moved. */
  watchNodes(): Watch {
    return watch(Node, {
      to: (_, { objects }) => {
        this.#shares = undefined;
        return [...this.#endpointsByZone].flatMap(([key, families]) =>
          [...families.values()].some((counts) => isOverloaded(counts, this.#sharesOf(objects))) ? [key] : [],
        );
      },
      when: (node, old) => old === undefined || isNodeReady(node) !== isNodeReady(old) || zoneOf(node) !== zoneOf(old),
    });
  }

  forget(key: string): void {
    this.#endpointsByZone.delete(key);
  }

  /** The changes with zone hints, and the events about them. */
  hint(
    changes: SliceChanges,
    { key, family, live }: FamilyOfService,
    objects: ReconcileContext['objects'],
  ): { readonly changes: SliceChanges; readonly reports: readonly ZoneReport[] } {
    const hinted = hintedChanges(changes, { live, shares: this.#sharesOf(objects) });
    if (hinted.endpointsByZone === undefined) {
      this.#endpointsByZone.delete(key);
      return { changes: hinted.changes, reports: [disabled(hinted.problem ?? '', family)] };
    }
    const wasHinted = this.#endpointsByZone.has(key);
    const families = this.#endpointsByZone.get(key) ?? new Map<string, ReadonlyMap<string, number>>();
    this.#endpointsByZone.set(key, families.set(family, hinted.endpointsByZone));
    const message = `Topology Aware Hints has been enabled, addressType: ${family}`;
    return {
      changes: hinted.changes,
      reports: wasHinted ? [] : [{ type: 'Normal', reason: 'TopologyAwareHintsEnabled', message }],
    };
  }

  /** The events for a service without topology-aware routing. */
  leave(key: string, family: AddressFamily): readonly ZoneReport[] {
    return this.#endpointsByZone.delete(key) ? [disabled('Topology Aware Hints has been disabled', family)] : [];
  }

  #sharesOf(objects: ReconcileContext['objects']): ZoneShares | undefined {
    this.#shares ??= { value: zoneShares(objects(Node).list()) };
    return this.#shares.value;
  }
}

function disabled(message: string, family: AddressFamily): ZoneReport {
  return {
    type: 'Warning',
    reason: 'TopologyAwareHintsDisabled',
    message: `${message}, addressType: ${family}`,
  };
}
