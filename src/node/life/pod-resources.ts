// What a pod as a whole asks for, from what its containers do.
import { parseQuantity, type Quantity, ValueError } from '../../api/index.ts';
import { isSidecar } from './restart-rules.ts';
import type { ContainerSpec, PodSpec } from './pod-view.ts';

export type ResourceAmounts = ReadonlyMap<string, Quantity>;
type ResourceTexts = Readonly<Record<string, string>>;

const POD_LEVEL = /^(?:cpu|memory|hugepages-.*)$/;

/** What the pod reserves: containers run together, init containers one after the other with the sidecars before them. */
export function podRequests(spec: PodSpec): ResourceAmounts {
  const requests = aggregate(spec, ({ resources }) => resources?.requests);
  overrule(requests, spec.resources?.requests);
  add(requests, amounts(spec.overhead));
  return requests;
}

/** What the pod may use at most, as far as its containers have limits. */
export function podLimits(spec: PodSpec): ResourceAmounts {
  const limits = aggregate(spec, ({ resources }) => resources?.limits);
  overrule(limits, spec.resources?.limits);
  for (const [name, amount] of amounts(spec.overhead)) {
    const limit = limits.get(name);
    if (limit !== undefined) limits.set(name, limit.add(amount));
  }
  return limits;
}

export function amountTexts(list: ResourceAmounts): Record<string, string> {
  return Object.fromEntries([...list].map(([name, amount]) => [name, amount.toString()]));
}

/** Amounts as objects carry them. What cannot be read is left out: the server does not store such. */
export function amounts(texts: ResourceTexts | undefined): Map<string, Quantity> {
  const list = new Map<string, Quantity>();
  for (const [name, text] of Object.entries(texts ?? {})) {
    const amount = parseQuantity(text);
    if (!(amount instanceof ValueError)) list.set(name, amount);
  }
  return list;
}

function aggregate(
  spec: PodSpec,
  pick: (container: ContainerSpec) => ResourceTexts | undefined,
): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const container of spec.containers) add(total, amounts(pick(container)));
  const sidecars = new Map<string, Quantity>();
  const peak = new Map<string, Quantity>();
  for (const container of spec.initContainers ?? []) {
    const own = amounts(pick(container));
    if (isSidecar(container)) {
      add(total, own);
      add(sidecars, own);
      raise(peak, sidecars);
    } else {
      add(own, sidecars);
      raise(peak, own);
    }
  }
  raise(total, peak);
  return total;
}

function overrule(list: Map<string, Quantity>, texts: ResourceTexts | undefined): void {
  for (const [name, amount] of amounts(texts)) if (POD_LEVEL.test(name)) list.set(name, amount);
}

function add(list: Map<string, Quantity>, more: ResourceAmounts): void {
  for (const [name, amount] of more) list.set(name, list.get(name)?.add(amount) ?? amount);
}

function raise(list: Map<string, Quantity>, atLeast: ResourceAmounts): void {
  for (const [name, amount] of atLeast) {
    const present = list.get(name);
    if (present === undefined || present.compare(amount) < 0) list.set(name, amount);
  }
}
