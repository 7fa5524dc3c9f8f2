import type { DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import {
  type HostPort,
  HostPorts,
  hostPortsOf,
  hasUntolerated,
  isExtendedResource,
  podRequests,
  requiredNodes,
  type ResourceAmounts,
} from '../../api/meaning/index.ts';

export interface AdmittingNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly operatingSystem: string;
  readonly taints: readonly DeepReadonly<core.Taint>[];
  readonly allocatable: ResourceAmounts;
}

export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** What is left of a pod to be given back; the pod itself would keep a version alive that is long past. */
interface Admitted {
  readonly ports: readonly HostPort[];
  readonly requests: ReadonlyMap<string, number>;
}

/** Counted in thousandths. */
const CPU = 'cpu';

/**
 * Whether a node takes a pod that it was given: enough of everything is left, and what the pod insists on is there.
 *
 * The scheduler has asked the same; this is for pods that were bound past it, or while something changed.
 */
export class NodeAdmission {
  readonly #admitted = new Map<string, Admitted>();
  readonly #used = new Map<string, number>();
  readonly #ports = new HostPorts();

  /** Takes the pod up, or tells why not. */
  admit(pod: Observed<Pod>, node: AdmittingNode): Rejection | undefined {
    const requests = countedRequests(pod);
    const rejection = this.#refuse(pod, requests, node);
    if (rejection === undefined) this.#add(pod, requests);
    return rejection;
  }

  /** Takes up a pod that was admitted before. */
  readmit(pod: Observed<Pod>): void {
    if (!this.#admitted.has(pod.metadata.uid)) this.#add(pod, countedRequests(pod));
  }

  /** The pod uses nothing any more. */
  release(uid: string): void {
    const admitted = this.#admitted.get(uid);
    if (admitted === undefined) return;
    this.#admitted.delete(uid);
    for (const port of admitted.ports) this.#ports.remove(port);
    for (const [name, amount] of admitted.requests) this.#used.set(name, (this.#used.get(name) ?? 0) - amount);
  }

  #add(pod: Observed<Pod>, requests: ReadonlyMap<string, number>): void {
    const ports = hostPortsOf(pod);
    this.#admitted.set(pod.metadata.uid, { ports, requests });
    for (const port of ports) this.#ports.add(port);
    for (const [name, amount] of requests) this.#used.set(name, (this.#used.get(name) ?? 0) + amount);
  }

  #refuse(pod: Observed<Pod>, requests: ReadonlyMap<string, number>, node: AdmittingNode): Rejection | undefined {
    const os = pod.spec?.os?.name;
    if (os !== undefined && os !== node.operatingSystem)
      return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
    return (
      this.#outOf('pods', 1, { used: this.#admitted.size, node }) ??
      this.#outOfAny(requests, node) ??
      (isWantedNode(pod, node)
        ? undefined
        : predicate('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")) ??
      (hostPortsOf(pod).some((port) => this.#ports.isTaken(port))
        ? predicate('NodePorts', "node(s) didn't have free ports for the requested pod ports")
        : undefined) ??
      (hasUntolerated(node.taints, pod.spec?.tolerations, ['NoExecute'])
        ? predicate('TaintToleration', "node(s) had taints that the pod didn't tolerate")
        : undefined)
    );
  }

  #outOfAny(requests: ReadonlyMap<string, number>, node: AdmittingNode): Rejection | undefined {
    for (const name of inOrder(requests.keys())) {
      if (isExtendedResource(name) && !node.allocatable.has(name)) continue; // not the node's to count
      const refusal = this.#outOf(name, requests.get(name) ?? 0, { used: this.#used.get(name) ?? 0, node });
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #outOf(
    name: string,
    requested: number,
    { used, node }: { readonly used: number; readonly node: AdmittingNode },
  ): Rejection | undefined {
    const allocatable = node.allocatable.get(name);
    const capacity = (name === CPU ? allocatable?.milliValue() : allocatable?.value()) ?? 0;
    if (requested === 0 || requested <= capacity - used) return undefined;
    const message = `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
    return { reason: `OutOf${name}`, message };
  }
}

/** What the pod takes of the node; resources for which it was given devices are counted there. */
function countedRequests({ spec, status }: Observed<Pod>): ReadonlyMap<string, number> {
  if (spec === undefined) return new Map();
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  const byDevices = new Set(mappings.map(({ resourceName }) => resourceName));
  return new Map(
    [...podRequests({ spec })]
      .filter(([name]) => !byDevices.has(name))
      .map(([name, amount]) => [name, name === CPU ? amount.milliValue() : amount.value()]),
  );
}

const FIRST = [CPU, 'memory', 'ephemeral-storage'];

function inOrder(names: Iterable<string>): string[] {
  const rank = (name: string): number => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);
  return [...names].sort((left, right) => rank(left) - rank(right));
}

function isWantedNode(pod: Observed<Pod>, { name, labels }: AdmittingNode): boolean {
  return requiredNodes(pod)?.({ metadata: { name, labels } }) ?? true;
}

function predicate(name: string, problem: string): Rejection {
  return { reason: name, message: `Predicate ${name} failed: ${problem}` };
}
