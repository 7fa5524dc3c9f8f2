import { keyOf, type Observed, type Pod } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';
import { isMirrorPod, type NodeStaticPods } from './static-pods/index.ts';

export interface NodePodsParts {
  /** Contains at least the pods of the node. */
  readonly pods: Objects<Pod>;
  /** Pods that the node runs by itself; undefined for a node without any. */
  readonly statics: NodeStaticPods | undefined;
  /** The keys of the pods that are bound to the node. */
  podsOf(node: string): readonly string[];
  /** Whether the pods of the API are known yet; default true. */
  hasSynced?: (() => boolean) | undefined;
}

/** The pods of one node: those of the API that are bound to it, and those of its own manifests. */
export class NodePods {
  readonly #node: string;
  readonly #parts: NodePodsParts;
  /** The key of each pod that was seen, by its uid. */
  readonly #keys = new Map<string, string>();

  constructor(node: string, parts: NodePodsParts) {
    this.#node = node;
    this.#parts = parts;
  }

  keys(): Iterable<string> {
    const { statics, podsOf } = this.#parts;
    const bound = podsOf(this.#node);
    return statics === undefined ? bound : new Set([...bound, ...statics.keys()]);
  }

  all(): readonly Observed<Pod>[] {
    return [...this.keys()].flatMap((key) => this.get(key) ?? []);
  }

  get(key: string): Observed<Pod> | undefined {
    const { statics, pods } = this.#parts;
    const own = statics?.pod(key);
    if (own !== undefined) return own;
    const pod = pods.get(key);
    if (pod?.spec?.nodeName !== this.#node) return undefined;
    return statics !== undefined && isMirrorPod(pod) ? undefined : pod;
  }

  byUid(uid: string): Observed<Pod> | undefined {
    const key = this.#keys.get(uid);
    const seen = key === undefined ? undefined : this.get(key);
    if (seen?.metadata.uid === uid) return seen;
    return this.all().find(({ metadata }) => metadata.uid === uid); // not seen by this run of the agent, or gone
  }

  /** Another version of a pod was seen. */
  seen(pod: Observed<Pod>): void {
    this.#keys.set(pod.metadata.uid, keyOf(pod));
  }

  removed(uid: string): void {
    this.#keys.delete(uid);
  }

  /** False while the pods of the API or of the manifests are not known. */
  knowsAll(): boolean {
    const { hasSynced, statics } = this.#parts;
    return (hasSynced?.() ?? true) && (statics?.isReady ?? true);
  }
}
