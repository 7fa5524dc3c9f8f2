import { isTolerated, UNSCHEDULABLE_TAINT } from '../../api/meaning/index.ts';
import type { Node, Pod } from '../../client/index.ts';
import type { Taint } from '../../api/types/core/v1.d.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const NAME = 'NodeUnschedulable';
const UNSCHEDULABLE = unresolvable(NAME, 'node(s) were unschedulable');
/** Pods that tolerate this taint may run on cordoned nodes. */
const TAINT: Taint = { key: UNSCHEDULABLE_TAINT, effect: 'NoSchedule' };

/** Filter: a node with `spec.unschedulable` takes no new pods. */
export function nodeUnschedulable(): Plugin {
  return {
    name: NAME,
    events: [
      {
        resource: 'Node',
        actions: ['Add', 'UpdateNodeTaint'],
        isWorthRetry: (_pod, { old, now }: Change<Node>) =>
          now?.spec?.unschedulable !== true && (old === undefined || old.spec?.unschedulable === true),
      },
      {
        resource: 'Pod',
        actions: ['UpdatePodToleration'],
        isWorthRetry: (pod, { now }: Change<Pod>) =>
          now?.metadata.uid === pod.uid && isTolerated(TAINT, now.spec?.tolerations),
      },
    ],
    filter({ pod }, { node }) {
      if (node?.spec?.unschedulable !== true) return undefined;
      return isTolerated(TAINT, pod.pod.spec?.tolerations) ? undefined : UNSCHEDULABLE;
    },
  };
}
