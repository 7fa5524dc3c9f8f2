import type { Quantity } from '../../api/index.ts';
import type { Container, PodSpec } from '../../api/types/core/v1.d.ts';
import { amount } from './resource-list.ts';

type Totals = Map<string, Quantity>;

/** What the containers of a pod ask for together, at the time when they ask for most. */
export function podRequests(spec: PodSpec): Record<string, string> {
  return printed(aggregate(spec, ({ resources }) => resources?.requests));
}

/** What the containers of a pod may use together, likewise. */
export function podLimits(spec: PodSpec): Record<string, string> {
  return printed(aggregate(spec, ({ resources }) => resources?.limits));
}

/**
 * Containers and sidecars run together; an init container runs beside the sidecars started before it. The pod needs
 * the larger of the two, resource by resource (KEP-753).
 */
function aggregate(spec: PodSpec, of: (container: Container) => Readonly<Record<string, string>> | undefined): Totals {
  const total: Totals = new Map();
  const sidecars: Totals = new Map();
  const peak: Totals = new Map();
  for (const container of spec.containers ?? []) addTo(total, of(container));
  for (const container of spec.initContainers ?? []) {
    const own: Totals = new Map(sidecars);
    addTo(own, of(container));
    if (container.restartPolicy === 'Always') {
      addTo(total, of(container));
      addTo(sidecars, of(container));
    }
    raise(peak, own);
  }
  raise(total, peak);
  return total;
}

function addTo(totals: Totals, list: Readonly<Record<string, string>> | undefined): void {
  for (const name of Object.keys(list ?? {})) {
    const more = amount(list?.[name] ?? '0');
    totals.set(name, totals.get(name)?.add(more) ?? more);
  }
}

function raise(totals: Totals, others: Totals): void {
  for (const [name, other] of others) {
    const known = totals.get(name);
    if (known === undefined || known.compare(other) < 0) totals.set(name, other);
  }
}

function printed(totals: Totals): Record<string, string> {
  return Object.fromEntries([...totals].map(([name, quantity]) => [name, quantity.toString()]));
}
