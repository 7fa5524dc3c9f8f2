import { type Logger, messageOf } from '../../base/index.ts';
import { hasReason, keyOf, type Node, type Observed, type Pod, type Sendable } from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';
import { isMirrorOf, isMirrorPod, MIRROR } from './static-pod.ts';

export interface MirrorPodsParts {
  readonly pods: Objects<Pod>;
  readonly log: Logger;
  /** The object of the node; undefined until it is registered. */
  node(): Observed<Node> | undefined;
}

/** The pods of the API that show what a node runs by itself. */
export class MirrorPods {
  readonly #parts: MirrorPodsParts;

  constructor(parts: MirrorPodsParts) {
    this.#parts = parts;
  }

  /** The mirror of a pod, if the API has the current one. */
  of(pod: Observed<Pod>): Observed<Pod> | undefined {
    const mirror = this.#parts.pods.get(keyOf(pod));
    return mirror !== undefined && isMirrorOf(mirror, pod) ? mirror : undefined;
  }

  /** Creates the mirror of a pod, in place of an outdated or deleted one; returns whether the API has it now. */
  async show(pod: Observed<Pod>): Promise<boolean> {
    const node = this.#parts.node();
    const key = keyOf(pod);
    const known = this.#parts.pods.get(key);
    try {
      if (known !== undefined) {
        if (!isMirrorPod(known)) return false; // a pod of the API has taken the name
        if (known.metadata.deletionTimestamp === undefined && isMirrorOf(known, pod)) return true;
        await this.remove(known);
      }
      if (node === undefined || node.metadata.deletionTimestamp !== undefined) return false;
      await this.#parts.pods.create(mirrorOf(pod, node));
      return true;
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists'))
        this.#parts.log.warn('mirror pod cannot be created', { pod: key, error: messageOf(error) });
      return false;
    }
  }

  /** Removes a mirror whose pod is gone. */
  async remove(mirror: Observed<Pod>): Promise<void> {
    const { uid } = mirror.metadata;
    await this.#parts.pods.delete(keyOf(mirror), { gracePeriodSeconds: 0, preconditions: { uid } });
  }
}

function mirrorOf({ metadata, spec }: Observed<Pod>, node: Observed<Node>): Sendable<Pod> {
  const { name, namespace, labels, annotations = {}, uid } = metadata;
  const { name: nodeName, uid: nodeUid } = node.metadata;
  const owner = { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true };
  const mirror = {
    metadata: {
      name,
      namespace,
      ...(labels === undefined ? {} : { labels }),
      annotations: { ...annotations, [MIRROR]: uid },
      ownerReferences: [owner],
    },
    spec,
  };
  return mirror as Sendable<Pod>;
}
