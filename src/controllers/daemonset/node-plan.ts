import { isActive, isAvailable, isReady } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';
import type { EventDetails } from '../../kit/index.ts';
import { byAge, HASH } from './daemon-pod.ts';
import { allowsSurge, type DaemonSetView } from './daemon-view.ts';
import type { NodeFit } from './node-fit.ts';

type Pods = readonly Observed<Pod>[];

/** Pods to create and delete. */
export interface DaemonPlan {
  /** The nodes that get a new pod. */
  readonly create: readonly string[];
  readonly delete: Pods;
}

const NOTHING: DaemonPlan = { create: [], delete: [] };

export interface NodePlanTools {
  readonly set: DaemonSetView;
  readonly hash: string;
  readonly nowMs: number;
  /** Whether back-off allows deleting a failed pod on this node now; otherwise it is retried later. */
  mayRetry(nodeName: string): boolean;
  event(details: EventDetails): void;
}

/** Plans one node, apart from template updates: one pod if the node is eligible, none otherwise. */
export function planNode(
  nodeName: string,
  { fit, pods }: { readonly fit: NodeFit; readonly pods: Pods },
  tools: NodePlanTools,
): DaemonPlan {
  if (fit.shouldStay && pods.length === 1 && pods.every(isActive)) return NOTHING; // fast path: most nodes
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!fit.shouldStay) return { create: [], delete: alive };
  if (fit.shouldRun && pods.length === 0) return { create: [nodeName], delete: [] };
  const ended = endedPods(nodeName, alive, tools);
  const running = alive.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded');
  const sorted = running.toSorted(byAge);
  if (!allowsSurge(tools.set)) return { create: [], delete: [...ended, ...sorted.slice(1)] };
  if (sorted.length === 0 && fit.shouldRun) return { create: [nodeName], delete: ended };
  return { create: [], delete: [...ended, ...surplus(sorted, tools)] };
}

/** Finished pods to delete; records events about them. */
function endedPods(nodeName: string, pods: Pods, { mayRetry, event }: NodePlanTools): Pods {
  return pods.filter(({ metadata, status }) => {
    const about = `daemon pod ${metadata.namespace ?? ''}/${metadata.name} on node ${nodeName}`;
    if (status?.phase === 'Succeeded') {
      event({ reason: 'SucceededDaemonPod', message: `Found succeeded ${about}, will try to delete it` });
      return true;
    }
    if (status?.phase !== 'Failed' || !mayRetry(nodeName)) return false;
    event({ type: 'Warning', reason: 'FailedDaemonPod', message: `Found failed ${about}, will try to kill it` });
    return true;
  });
}

/** The pods to delete when surge is allowed: an old pod stays while it is ready and the new one is not available. */
function surplus(sorted: Pods, { set, hash, nowMs }: NodePlanTools): Pods {
  if (sorted.length <= 1) return [];
  const [newPod, ...otherNew] = sorted.filter(({ metadata }) => metadata.labels?.[HASH] === hash);
  const [oldPod, ...otherOld] = sorted.filter(({ metadata }) => metadata.labels?.[HASH] !== hash);
  const isReplaced =
    newPod !== undefined &&
    oldPod !== undefined &&
    (!isReady(oldPod) || isAvailable(newPod, set.minReadySeconds, nowMs));
  return [...otherNew, ...otherOld, ...(isReplaced ? [oldPod] : [])];
}
