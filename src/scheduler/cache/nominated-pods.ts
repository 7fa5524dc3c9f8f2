import type { Observed, Pod } from '../../client/index.ts';
import type { PodInfo } from './pod-info.ts';

const NONE: readonly PodInfo[] = [];

/**
 * Pods that will probably be placed on a certain node: preemption is making room there, or an external component set
 * `nominatedNodeName`. Filters count them, so that pods of lower priority do not take that room.
 */
export class NominatedPods {
  readonly #onNode = new Map<string, PodInfo[]>();
  /** Node names by pod uid. */
  readonly #nodeOf = new Map<string, string>();

  get size(): number {
    return this.#nodeOf.size;
  }

  on(nodeName: string): readonly PodInfo[] {
    return this.#onNode.get(nodeName) ?? NONE;
  }

  /** Nominates the pod for `nodeName`, by default the node in its status; an empty name removes the nomination. */
  set(pod: PodInfo, nodeName: string = nominatedNode(pod.pod)): void {
    this.delete(pod.uid);
    if (nodeName === '') return;
    this.#nodeOf.set(pod.uid, nodeName);
    this.#onNode.set(nodeName, [...this.on(nodeName), pod]);
  }

  /** Follows an update of the pod. An update without a nominated node keeps the nomination that was made in memory. */
  update(old: Observed<Pod>, pod: PodInfo): void {
    const isSilent = nominatedNode(old) === '' && nominatedNode(pod.pod) === '';
    this.set(pod, isSilent ? (this.#nodeOf.get(pod.uid) ?? '') : undefined);
  }

  delete(uid: string): void {
    const nodeName = this.#nodeOf.get(uid);
    if (nodeName === undefined) return;
    this.#nodeOf.delete(uid);
    const others = this.on(nodeName).filter((pod) => pod.uid !== uid);
    if (others.length === 0) this.#onNode.delete(nodeName);
    else this.#onNode.set(nodeName, others);
  }
}

/** The nominated node in the pod's status; empty when there is none. */
export function nominatedNode({ status }: Observed<Pod>): string {
  return status?.nominatedNodeName ?? '';
}
