import { hasUntolerated, requiredNodes } from '../../api/meaning/index.ts';
import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { daemonTolerations } from './daemon-pod.ts';
import type { DaemonSetView } from './daemon-view.ts';

/** What a node is to a DaemonSet. */
export interface NodeFit {
  /** A pod is to be started there. */
  readonly shouldRun: boolean;
  /** A pod that is there may stay. */
  readonly shouldStay: boolean;
}

const BOTH: NodeFit = { shouldRun: true, shouldStay: true };
const STAY: NodeFit = { shouldRun: false, shouldStay: true };
const NEITHER: NodeFit = { shouldRun: false, shouldStay: false };

/** Tells which nodes are to have a pod. A pod that no longer could be started stays, unless a taint drives it away. */
export function nodeFits({ template }: Pick<DaemonSetView, 'template'>): (node: Observed<Node>) => NodeFit {
  const { spec } = template;
  const required = requiredNodes({ spec: { containers: [], ...spec } });
  const tolerations = daemonTolerations(spec);
  const nodeName = spec?.nodeName ?? '';
  return (node) => {
    if (nodeName !== '' && nodeName !== node.metadata.name) return NEITHER;
    if (required !== undefined && !required(node)) return NEITHER;
    const taints = node.spec?.taints;
    if (!hasUntolerated(taints, tolerations)) return BOTH;
    return hasUntolerated(taints, tolerations, ['NoExecute']) ? NEITHER : STAY;
  };
}
