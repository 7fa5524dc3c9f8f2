import { type Clock, deepEqual, type Logger, messageOf } from '../base/index.ts';
import { hasReason, type Observed, type Pod, StatusError } from '../client/index.ts';
import type { EchoFilter } from '../kit/index.ts';
import { type PodStatus, statusPatch } from './life/index.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodRecord } from './pod-record.ts';
import { isSameButStatus, type PodWriter } from './pod-writer.ts';

export interface PodReporterParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly writer: PodWriter;
  /** Keeps the worker from being woken by its own reports. */
  readonly echoes: EchoFilter;
}

/** Delay before a status that was too large for the store is written again; it doubles up to the longest one. */
const FIRST_RETRY_MS = 10_000;
const MAX_RETRY_MS = 300_000;

/** Writes the status of one pod, where it differs from what the server has. */
export class PodReporter {
  readonly #key: string;
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #parts: PodReporterParts;
  /** The last patch, if the server did not apply all of it, and the version of the pod after it. */
  #refused: { readonly version: string; readonly patch: unknown } | undefined;
  /** Set when the last status was too large for the store: when to try again, and how long to wait after that. */
  #tooLarge: { readonly retryAtMs: number; readonly delayMs: number } | undefined;

  constructor(key: string, about: { readonly record: PodRecord; readonly events: PodEvents }, parts: PodReporterParts) {
    this.#key = key;
    this.#record = about.record;
    this.#events = about.events;
    this.#parts = parts;
  }

  /** When a status that could not be stored is to be written again. */
  get retryAtMs(): number | undefined {
    return this.#tooLarge?.retryAtMs;
  }

  /** Returns the pod as it was written; undefined when nothing was. */
  async report(pod: Observed<Pod>, status: PodStatus): Promise<Observed<Pod> | undefined> {
    const patch = statusPatch(pod.status ?? {}, status);
    this.#record.status = status;
    const isLeftAsWritten = this.#refused?.version === pod.metadata.resourceVersion;
    // the server would ignore the same part of the patch again
    if (patch === undefined || (isLeftAsWritten && deepEqual(patch, this.#refused?.patch))) return undefined;
    const { writer, echoes, clock } = this.#parts;
    if (this.#tooLarge !== undefined && clock.now() < this.#tooLarge.retryAtMs) return undefined;
    let isTaken = false;
    const isEcho = (written: Observed<Pod>): boolean => {
      isTaken = statusPatch(written.status ?? {}, status) === undefined;
      return isTaken && isSameButStatus(pod, written);
    };
    try {
      const written = await echoes.write(this.#key, () => writer.writeStatus(pod, patch), isEcho);
      this.#tooLarge = undefined;
      // shares the object with the cache, to save memory
      if (isTaken && written.status !== undefined) this.#record.status = written.status;
      this.#refused = isTaken ? undefined : { version: written.metadata.resourceVersion, patch };
      return written;
    } catch (error) {
      this.#tolerate(pod, error);
      return undefined;
    }
  }

  /** Ignores that the pod is gone, and logs a rejected status so that it does not block the pod; throws all other errors. */
  #tolerate(pod: Observed<Pod>, error: unknown): void {
    const { log } = this.#parts;
    if (hasReason(error, 'NotFound') || hasReason(error, 'Conflict') || isReplaced(error)) {
      log.debug('pod was gone before its status was written', { pod: this.#key });
    } else if (hasReason(error, 'Invalid')) {
      log.error('status of pod was refused', { error, pod: this.#key });
    } else if (hasReason(error, 'RequestEntityTooLarge')) {
      this.#waitForSpace(pod, error);
    } else {
      throw error;
    }
  }

  /** As with a kubelet, the containers run although the status is not stored; it is tried again, less and less often. */
  #waitForSpace(pod: Observed<Pod>, error: unknown): void {
    const { clock, log } = this.#parts;
    const delayMs = Math.min(2 * (this.#tooLarge?.delayMs ?? FIRST_RETRY_MS / 2), MAX_RETRY_MS);
    if (this.#tooLarge === undefined) {
      const message = `Status of the pod cannot be stored: ${messageOf(error)}`;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedStatusUpdate', message });
    }
    log.warn('status of pod is too large to be stored', { error, pod: this.#key, retryAfterMs: delayMs });
    this.#tooLarge = { retryAtMs: clock.now() + delayMs, delayMs };
  }
}

/** Whether the server refused a status because another pod has the name by now: the uid of a pod cannot be changed. */
function isReplaced(error: unknown): boolean {
  if (!(error instanceof StatusError) || !hasReason(error, 'Invalid')) return false;
  return error.status.details?.causes?.some(({ field }) => field === 'metadata.uid') === true;
}
