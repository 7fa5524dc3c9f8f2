import { formatTime, instantOfMillis } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';
import { type Observed, type Patch, type Pod, strategicPatch } from '../../client/index.ts';
import { nominatedNode } from '../cache/nominated-pods.ts';
import { FitError, NoNodesError, PodRejectedError } from '../framework/fit-error.ts';
import type { Nomination } from '../framework/plugin.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';

/** The result of a failed attempt for the pod's status. */
export interface Verdict extends Partial<Nomination> {
  /** `Unschedulable` when no node fits, `SchedulerError` when the scheduler failed. */
  readonly reason: 'Unschedulable' | 'SchedulerError';
  readonly message: string;
}

/** Maximum length of an event message, in bytes. */
const MAX_NOTE_LENGTH = 1024;
/** Maximum length of a condition message, in bytes. Extenders may return longer texts, which could not be stored. */
const MAX_MESSAGE_LENGTH = 1024 * 1024;
const CUT = ' ...';

/** Classifies an error as unschedulable or as a fault of the scheduler. Only PostFilter changes a nomination. */
export function verdictOf(error: unknown): Verdict {
  const isVerdict = error instanceof FitError || error instanceof NoNodesError || error instanceof PodRejectedError;
  const message = shortened(messageOf(error), MAX_MESSAGE_LENGTH);
  const nominatedNodeName = error instanceof FitError ? error.nominatedNodeName : '';
  return { reason: isVerdict ? 'Unschedulable' : 'SchedulerError', message, nominatedNodeName };
}

/** Records on the queued pod which plugins rejected it; none after a fault. */
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

/** The status patch that sets PodScheduled=False and the nomination; undefined when the status already says so. */
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

/** The message, truncated to the maximum length of an event. */
export function eventNote(message: string): string {
  return shortened(message, MAX_NOTE_LENGTH);
}

function shortened(message: string, maxBytes: number): string {
  if (Buffer.byteLength(message) <= maxBytes) return message;
  const kept = Buffer.from(message).subarray(0, maxBytes - CUT.length);
  return kept.toString() + CUT;
}
