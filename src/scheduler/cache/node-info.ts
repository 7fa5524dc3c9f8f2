import { HostPorts } from '../../api/meaning/index.ts';
import type { Node, Observed } from '../../client/index.ts';
import type { PodInfo } from './pod-info.ts';
import { Resources } from './resources.ts';

/** A node and the sum of its pods' requests, including pods that are assumed and not bound yet. */
export class NodeInfo {
  readonly name: string;
  /** Undefined while pods name a node that does not exist. */
  node: Observed<Node> | undefined;
  readonly allocatable = new Resources();
  readonly requested = new Resources();
  nonZeroMilliCpu = 0;
  nonZeroMemory = 0;
  readonly usedPorts = new HostPorts();
  /** Increases with every change of any node; two copies with the same generation are equal. */
  generation = 0;
  /** Unique within the snapshot; negative for a node outside of one. See `NodeSlots`. */
  slot = -1;
  #pods: PodInfo[] = [];

  constructor(name: string) {
    this.name = name;
  }

  get pods(): readonly PodInfo[] {
    return this.#pods;
  }

  setNode(node: Observed<Node> | undefined): void {
    const allocatable = node?.status?.allocatable;
    if (allocatable !== this.node?.status?.allocatable) this.allocatable.copyFrom(Resources.read(allocatable));
    this.node = node;
  }

  addPod(pod: PodInfo): void {
    this.#pods.push(pod);
    this.#count(pod, 1);
    for (const port of pod.hostPorts) this.usedPorts.add(port);
  }

  /** False if the pod is not on this node. */
  removePod(uid: string): boolean {
    const index = this.#pods.findIndex((pod) => pod.uid === uid);
    const pod = this.#pods[index];
    if (pod === undefined) return false;
    const last = this.#pods.pop() as PodInfo;
    if (last !== pod) this.#pods[index] = last;
    this.#count(pod, -1);
    for (const port of pod.hostPorts) this.usedPorts.remove(port);
    return true;
  }

  copyFrom(other: NodeInfo): void {
    if (this.node !== other.node) this.allocatable.copyFrom(other.allocatable);
    this.node = other.node;
    this.requested.copyFrom(other.requested);
    this.nonZeroMilliCpu = other.nonZeroMilliCpu;
    this.nonZeroMemory = other.nonZeroMemory;
    if (!this.usedPorts.isEmpty || !other.usedPorts.isEmpty) this.usedPorts.copyFrom(other.usedPorts);
    this.generation = other.generation;
    this.#pods = other.#pods.slice();
  }

  /** An independent copy for what-if trials. */
  clone(): NodeInfo {
    const copy = new NodeInfo(this.name);
    copy.copyFrom(this);
    copy.slot = this.slot;
    return copy;
  }

  #count(pod: PodInfo, sign: 1 | -1): void {
    this.requested.add(pod.requests, sign);
    this.nonZeroMilliCpu += sign * pod.nonZeroMilliCpu;
    this.nonZeroMemory += sign * pod.nonZeroMemory;
  }
}
