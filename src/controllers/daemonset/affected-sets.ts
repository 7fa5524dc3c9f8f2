import { controllerOf } from '../../api/meaning/index.ts';
import type { Node as NodeObject } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { DaemonSet, keyOf, Node, type Observed, Pod } from '../../client/index.ts';
import { podsByNode, type WatchContext } from '../../kit/index.ts';
import { viewDaemonSet } from './daemon-view.ts';
import { nodeFits } from './node-fit.ts';

/** Whether a change of a node can affect a DaemonSet. */
export function concernsDaemons(node: Observed<NodeObject>, old: Observed<NodeObject> | undefined): boolean {
  return (
    old === undefined ||
    !deepEqual(node.metadata.labels ?? {}, old.metadata.labels ?? {}) ||
    !deepEqual(node.spec?.taints ?? [], old.spec?.taints ?? [])
  );
}

/** The DaemonSets that need a new pod on the node, must delete one there, or count a misscheduled one. */
export function affectedSets(
  { metadata: { name } }: Observed<NodeObject>,
  { objects }: Pick<WatchContext, 'objects'>,
): readonly string[] {
  const node = objects(Node).get(name);
  if (node === undefined) return []; // the pods of a deleted node trigger their own events
  const present = new Set(
    objects(Pod)
      .byIndex(podsByNode, name)
      .map((pod) => controllerOf(pod)?.uid),
  );
  return objects(DaemonSet)
    .list()
    .filter((set) => {
      const { shouldRun, shouldStay } = nodeFits(viewDaemonSet(set))(node);
      if (!present.has(set.metadata.uid)) return shouldRun;
      return !shouldStay || (set.status?.numberMisscheduled ?? 0) > 0;
    })
    .map((set) => keyOf(set));
}
