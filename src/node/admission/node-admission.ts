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

import type { Shortage } from './critical-pods.ts';

export interface AdmittingNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly operatingSystem: string;
  readonly taints: readonly DeepReadonly<core.Taint>[];
  readonly allocatable: ResourceAmounts;
  /** Whether the runtime obeys `supplementalGroupsPolicy: Strict`. */
  readonly hasStrictGroups?: boolean | undefined;
}

export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

/** What an admitted pod takes of the node. The pod object is not kept: it would hold on to an outdated version. */
interface Admitted {
  readonly ports: readonly HostPort[];
  readonly requests: ReadonlyMap<string, number>;
}

/** Counted in thousandths. */
const CPU = 'cpu';

/**
 * Decides whether a node accepts a pod that is bound to it: the node has enough resources left and meets what the pod requires.
 *
 * The scheduler has checked the same. The check here catches pods that were bound without the scheduler, or while the node changed.
 */
export class NodeAdmission {
  readonly #admitted = new Map<string, Admitted>();
  readonly #used = new Map<string, number>();
  readonly #ports = new HostPorts();

  /** Reserves resources for the pod, or returns why the node rejects it. */
  admit(pod: Observed<Pod>, node: AdmittingNode): Rejection | undefined {
    const requests = countedRequests(pod);
    const rejection = this.#refuse(pod, requests, node);
    if (rejection === undefined) this.#add(pod, requests);
    return rejection;
  }

  /** Whether resources are reserved for the pod. */
  has(uid: string): boolean {
    return this.#admitted.has(uid);
  }

  /** What the node lacks for a pod that it rejects for nothing else; none when there is another reason as well. */
  shortages(pod: Observed<Pod>, node: AdmittingNode): readonly Shortage[] {
    if (this.#refuseShape(pod, node) !== undefined || this.#refusePlace(pod, node) !== undefined) return [];
    return this.#shortages(countedRequests(pod), node);
  }

  /** Reserves what a running pod asks for now in place of what it has, or returns why the node cannot; the pod then keeps what it has. */
  resize(pod: Observed<Pod>, node: AdmittingNode): Rejection | undefined {
    const before = this.#admitted.get(pod.metadata.uid);
    const requests = countedRequests(pod);
    this.release(pod.metadata.uid);
    const rejection = this.#refuse(pod, requests, node);
    if (rejection === undefined || before === undefined) this.#add(pod, requests);
    else this.#add(pod, before.requests);
    return rejection;
  }

  /** Reserves resources for a pod that an earlier run of the agent admitted. */
  readmit(pod: Observed<Pod>): void {
    if (!this.#admitted.has(pod.metadata.uid)) this.#add(pod, countedRequests(pod));
  }

  /** Frees what was reserved for the pod. */
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
    const [shortage] = this.#shortages(requests, node);
    return (
      this.#refuseShape(pod, node) ??
      (shortage === undefined ? this.#refusePlace(pod, node) : shortageRejection(shortage))
    );
  }

  /** Rejects pods that the node cannot run, however empty it is. */
  #refuseShape(pod: Observed<Pod>, node: AdmittingNode): Rejection | undefined {
    const label = pod.metadata.labels?.['kubernetes.io/os'];
    if (label !== undefined && label !== node.operatingSystem)
      return {
        reason: 'PodOSSelectorNodeLabelDoesNotMatch',
        message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
      };
    const os = pod.spec?.os?.name;
    if (os !== undefined && os !== node.operatingSystem)
      return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
    if (pod.spec?.securityContext?.supplementalGroupsPolicy === 'Strict' && node.hasStrictGroups === false)
      return {
        reason: 'SupplementalGroupsPolicyNotSupported',
        message: 'SupplementalGroupsPolicy=Strict is not supported in this node',
      };
    return undefined;
  }

  /** Rejects pods that want another node, or for which another pod has to go that does not end for them. */
  #refusePlace(pod: Observed<Pod>, node: AdmittingNode): Rejection | undefined {
    return (
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

  /** What the node has too little of, in the order in which it is reported. */
  #shortages(requests: ReadonlyMap<string, number>, node: AdmittingNode): readonly CountedShortage[] {
    const pods = this.#shortage('pods', 1, { used: this.#admitted.size, node });
    const others = inOrder(requests.keys()).flatMap((name) => {
      if (isExtendedResource(name) && !node.allocatable.has(name)) return []; // allocated by devices, which the node does not count
      return this.#shortage(name, requests.get(name) ?? 0, { used: this.#used.get(name) ?? 0, node });
    });
    return [...pods, ...others];
  }

  #shortage(
    resource: string,
    requested: number,
    { used, node }: { readonly used: number; readonly node: AdmittingNode },
  ): readonly CountedShortage[] {
    const allocatable = node.allocatable.get(resource);
    const capacity = (resource === CPU ? allocatable?.milliValue() : allocatable?.value()) ?? 0;
    const amount = requested - (capacity - used);
    return requested === 0 || amount <= 0 ? [] : [{ resource, amount, requested, used, capacity }];
  }
}

interface CountedShortage extends Shortage {
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

function shortageRejection({ resource, requested, used, capacity }: CountedShortage): Rejection {
  const message = `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`;
  return { reason: `OutOf${resource}`, message };
}

/** The requests that count against the node. Resources that were allocated as devices count there instead. */
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
