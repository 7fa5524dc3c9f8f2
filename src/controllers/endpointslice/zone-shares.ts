import { parseQuantity, Quantity } from '../../api/index.ts';
import type { Node, Observed } from '../../client/index.ts';
import { zoneOf } from '../service-backends/services-of.ts';

/** The share of each zone in the processors that pods can use, by the zone's name. */
export type ZoneShares = ReadonlyMap<string, number>;

/** How much more traffic than on average an endpoint may get. */
export const OVERLOAD = 0.2;

const NOT_FOR_PODS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Undefined where not all ready nodes say where they are and what they have, or all are in one zone. */
export function zoneShares(nodes: readonly Observed<Node>[]): ZoneShares | undefined {
  const millisByZone = new Map<string, number>();
  let total = 0;
  for (const node of nodes) {
    if (NOT_FOR_PODS.some((label) => node.metadata.labels?.[label] !== undefined) || !isNodeReady(node)) continue;
    const zone = zoneOf(node);
    const cpu = parseQuantity(node.status?.allocatable?.['cpu'] ?? '');
    if (zone === undefined || !(cpu instanceof Quantity) || cpu.sign === 0) return undefined;
    millisByZone.set(zone, (millisByZone.get(zone) ?? 0) + cpu.milliValue());
    total += cpu.milliValue();
  }
  if (millisByZone.size < 2) return undefined;
  return new Map([...millisByZone].map(([zone, millis]) => [zone, millis / total]));
}

export function isNodeReady({ status }: Observed<Node>): boolean {
  return status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
}

/** Whether some zone has fewer endpoints than it needs. */
export function isOverloaded(endpointsByZone: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (endpointsByZone.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...endpointsByZone.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(([zone, share]) => (endpointsByZone.get(zone) ?? -1) < leastFor(total * share));
}

/** With so few, none of the endpoints gets too much. */
export function leastFor(desired: number): number {
  return Math.ceil(desired * (1 / (1 + OVERLOAD)));
}
