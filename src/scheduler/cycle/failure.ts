import { FitError, NoNodesError } from '../framework/fit-error.ts';
import { PodRejectedError } from '../framework/pod-rejected-error.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { ScheduledVerdict } from './scheduled-condition.ts';

/** Events take no longer messages. */
const MAX_NOTE_LENGTH = 1024;
const CUT = ' ...';

/** What a failed try means for the pod: whether the cluster or the scheduler is to blame, in words for users. */
export function verdictOf(error: unknown): ScheduledVerdict {
  const isVerdict = error instanceof FitError || error instanceof NoNodesError || error instanceof PodRejectedError;
  const message = error instanceof Error ? error.message : String(error);
  return { reason: isVerdict ? 'Unschedulable' : 'SchedulerError', message };
}

/** Writes into the pod which plugins have rejected it; none when something has failed. */
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

/** A message as an event can carry it. */
export function eventNote(message: string): string {
  const bytes = Buffer.byteLength(message);
  if (bytes <= MAX_NOTE_LENGTH) return message;
  return (
    Buffer.from(message)
      .subarray(0, MAX_NOTE_LENGTH - CUT.length)
      .toString() + CUT
  );
}
