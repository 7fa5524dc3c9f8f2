import type { Observed, Pod } from '../../client/index.ts';
import type { PodInfo } from './pod-info.ts';

const NONE: readonly PodInfo[] = [];

/**
 * Pods without a node that will probably go to a certain one: room is being made for them there, or somebody outside of the
 * scheduler expects it. Filters count them, so that less important pods do not take that room.
 */
export class NominatedPods {
  readonly #onNode = new Map<string, PodInfo[]>();
  /** The names of the nodes, by the uids of the pods. */
  readonly #nodeOf = new Map<string, string>();

  get size(): number {
    return this.#nodeOf.size;
  }

  on(nodeName: string): readonly PodInfo[] {
    return this.#onNode.get(nodeName) ?? NONE;
  }

  /** Nominates the pod for the node that its status names, or for the given one; the empty name takes the nomination back. */
  set(pod: PodInfo, nodeName: string = nominatedNode(pod.pod)): void {
    this.delete(pod.uid);
    if (nodeName === '') return;
    this.#nodeOf.set(pod.uid, nodeName);
    this.#onNode.set(nodeName, [...this.on(nodeName), pod]);
  }

  /** Follows a change of the pod. One that says nothing about a node does not undo what was decided here meanwhile. */
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

/** The node that the status of a pod names, or nothing. */
export function nominatedNode({ status }: Observed<Pod>): string {
  return status?.nominatedNodeName ?? '';
}
