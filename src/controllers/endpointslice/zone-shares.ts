import { parseQuantity, Quantity } from '../../api/index.ts';
import type { Node, Observed } from '../../client/index.ts';
import { zoneOf } from '../service-backends/services-of.ts';

/** Each zone's share of the allocatable CPUs, by zone name. */
export type ZoneShares = ReadonlyMap<string, number>;

/** The share by which an endpoint's traffic may exceed the average. */
export const OVERLOAD = 0.2;

const NOT_FOR_PODS = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master'];

/** Undefined when a ready node lacks a zone or CPUs, or when all nodes are in one zone. */
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

/** Whether a zone has fewer endpoints than it needs. */
export function isOverloaded(endpointsByZone: ReadonlyMap<string, number>, shares: ZoneShares | undefined): boolean {
  if (endpointsByZone.size === 0) return false;
  if (shares === undefined) return true;
  const total = [...endpointsByZone.values()].reduce((sum, count) => sum + count, 0);
  return [...shares].some(([zone, share]) => (endpointsByZone.get(zone) ?? -1) < leastFor(total * share));
}

/** The minimum number of endpoints that keeps the overload within the limit. */
export function leastFor(desired: number): number {
  return Math.ceil(desired * (1 / (1 + OVERLOAD)));
}
