import { formatTime, instantOfMillis } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';
import { type Observed, type Patch, type Pod, strategicPatch } from '../../client/index.ts';
import { nominatedNode } from '../cache/nominated-pods.ts';
import { FitError, NoNodesError, PodRejectedError } from '../framework/fit-error.ts';
import type { Nomination } from '../framework/plugin.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';

/** What a failed try means for the pod. */
export interface Verdict extends Partial<Nomination> {
  /** The pod cannot be scheduled, or the scheduler has failed. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
}

/** The longest message of an event, in bytes. */
const MAX_NOTE_LENGTH = 1024;
/** The longest message of a condition, in bytes. Extenders may say more, but no store would take it. */
const MAX_MESSAGE_LENGTH = 1024 * 1024;
const CUT = ' ...';

/** Whether the cluster or the scheduler is to blame, in words for users. Only PostFilter leaves or makes a nomination. */
export function verdictOf(error: unknown): Verdict {
  const isVerdict = error instanceof FitError || error instanceof NoNodesError || error instanceof PodRejectedError;
  const message = shortened(messageOf(error), MAX_MESSAGE_LENGTH);
  const nominatedNodeName = error instanceof FitError ? error.nominatedNodeName : '';
  return { reason: isVerdict ? 'Unschedulable' : 'SchedulerError', message, nominatedNodeName };
}

/** Notes in the pod which plugins have rejected it; none after an error. */
export function recordRejection(pod: QueuedPod, error: unknown): void {
  pod.forgetRejections();
  if (error instanceof FitError) {
    pod.unschedulablePlugins = new Set(error.diagnosis.unschedulablePlugins);
    pod.pendingPlugins = new Set(error.diagnosis.pendingPlugins);
  } else if (error instanceof PodRejectedError) {
    const { code, plugin } = error.rejection;
    if (code === 'Pending') pod.pendingPlugins = new Set([plugin]);
    else pod.unschedulablePlugins = new Set([plugin]);
  }
}

/** The patch of a pod's status that says why it has no node, and where it is nominated for; undefined when it says so already. */
export function verdictPatch(pod: Observed<Pod>, verdict: Verdict, nowMs: number): Patch | undefined {
  const condition = changedCondition(pod, verdict, nowMs);
  const { nominatedNodeName = nominatedNode(pod) } = verdict;
  const isNominationSame = nominatedNodeName === nominatedNode(pod);
  if (condition === undefined && isNominationSame) return undefined;
  return strategicPatch({
    status: {
      ...(condition === undefined ? {} : { conditions: [condition] }),
      ...(isNominationSame ? {} : { nominatedNodeName: nominatedNodeName === '' ? null : nominatedNodeName }),
    },
  });
}

function changedCondition(pod: Observed<Pod>, { reason, message }: Verdict, nowMs: number): object | undefined {
  const known = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (known?.status === 'False' && known.reason === reason && known.message === message) return undefined;
  return {
    type: 'PodScheduled',
    status: 'False',
    observedGeneration: pod.metadata.generation,
    lastProbeTime: null,
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : formatTime(instantOfMillis(nowMs)),
    reason,
    message,
  };
}

/** The message, cut to the length that events allow. */
export function eventNote(message: string): string {
  return shortened(message, MAX_NOTE_LENGTH);
}

function shortened(message: string, maxBytes: number): string {
  if (Buffer.byteLength(message) <= maxBytes) return message;
  const kept = Buffer.from(message).subarray(0, maxBytes - CUT.length);
  return kept.toString() + CUT;
}
