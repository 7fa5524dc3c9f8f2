import { hasUntolerated, requiredNodes } from '../../api/meaning/index.ts';
import type { Node } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import { daemonTolerations } from './daemon-pod.ts';
import type { DaemonSetView } from './daemon-view.ts';

/** Whether a node may run a DaemonSet's pod. */
export interface NodeFit {
  /** A pod should be created there. */
  readonly shouldRun: boolean;
  /** An existing pod may stay. */
  readonly shouldStay: boolean;
}

const BOTH: NodeFit = { shouldRun: true, shouldStay: true };
const STAY: NodeFit = { shouldRun: false, shouldStay: true };
const NEITHER: NodeFit = { shouldRun: false, shouldStay: false };

/**
 * Decides which nodes should have a pod. An existing pod stays even where a new one could not start, unless a NoExecute
 * taint evicts it.
 */
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
