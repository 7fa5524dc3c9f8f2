import { jsonPatchBetween, type PatchOperation, type Status } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';

/** One step of a request: a stage, an admission plugin, a webhook, a policy. */
export interface TracedStep {
  readonly name: string;
  /** Milliseconds since the request arrived. */
  readonly startMs: number;
  readonly durationMs: number;
  /** The result: `passed`, `changed`, `skipped`, `refused`, `failed`, or an authorizer's verdict. */
  readonly decision: string;
  /** The authenticator, authorizer or rule that decided, if known. */
  readonly by?: string;
  readonly reason?: string;
  /** The step's changes to the object. When `isConcealed`, it has only paths, without values. */
  readonly patch?: readonly TracedOperation[];
  /** Whether values are left out, because the patch was too long or contains secrets. */
  readonly isConcealed?: boolean;
  readonly steps?: readonly TracedStep[];
}

/** An operation of a JSON patch; `value` is absent where it is concealed. */
export type TracedOperation = PatchOperation | { readonly op: string; readonly path: string };

/** The trace of one request: its steps, their decisions and reasons. */
export interface TracedRequest {
  /** A counter; the first request of a server is `1`. */
  readonly id: string;
  readonly auditId: string;
  /** When the request arrived. */
  readonly time: string;
  readonly method: string;
  /** With its query, except for connections, whose query is for a program behind the server. */
  readonly path: string;
  readonly user: string;
  readonly userAgent: string;
  readonly code: number;
  /** The reason of the Status, if that was the answer. */
  readonly reason?: string;
  readonly message?: string;
  readonly durationMs: number;
  readonly warnings?: readonly string[];
  /** The object that was written. */
  readonly wrote?: WrittenObject;
  /** The run of a controller in this process that sent the request: an id of `/keelson/runs`. */
  readonly run?: number;
  readonly steps: readonly TracedStep[];
}

/** An object after a write. */
export interface WrittenObject {
  readonly name: string;
  /** Absent where the answer did not say it, as of bindings and deletions. */
  readonly resourceVersion?: string;
}

/** Maximum size of the patches of one request; further ones are kept without their values. */
const MAX_PATCH_BYTES = 64 * 1024;
/** Maximum for one step, and for one request with all nested steps. */
const MAX_OPERATIONS = 100;
const MAX_STEPS = 500;
/** Characters of a message. */
const MAX_TEXT = 1024;

/** A step in progress. */
export class TraceStep {
  readonly #trace: RequestTrace;
  readonly #name: string;
  readonly #startMs: number;
  #endMs: number | undefined;
  #decision = 'unfinished';
  #details: Pick<TracedStep, 'by' | 'reason'> = {};
  #explanation: { readonly reason: string } | undefined;
  #patch: Pick<TracedStep, 'patch' | 'isConcealed'> = {};
  #steps: TraceStep[] | undefined;

  constructor(trace: RequestTrace, name: string) {
    this.#trace = trace;
    this.#name = name;
    this.#startMs = trace.now();
  }

  /** Begins a nested step. */
  begin(name: string): TraceStep {
    const step = new TraceStep(this.#trace, name);
    if (this.#trace.hasRoomForStep()) (this.#steps ??= []).push(step);
    return step;
  }

  /** Adds which component decides, or why. */
  addDetails(details: Pick<TracedStep, 'by' | 'reason'>): void {
    this.#details = { ...this.#details, ...details };
  }

  /** Takes the reason from a decision when the trace is read: most are not, and composing a reason costs more than the decision. */
  explainedBy(decision: { readonly reason: string }): void {
    this.#explanation = decision;
  }

  /** Records the step's changes to an object. */
  changed(before: unknown, after: unknown): void {
    this.patched(jsonPatchBetween(before, after));
  }

  patched(operations: readonly PatchOperation[]): void {
    if (operations.length === 0) return;
    this.#decision = 'changed';
    const kept = operations.slice(0, MAX_OPERATIONS);
    const isWhole = kept.length === operations.length && this.#trace.hasRoomForPatch(kept);
    this.#patch = isWhole ? { patch: kept } : { patch: kept.map(withoutValue), isConcealed: true };
  }

  /** Ends the step; `reason` explains the decision. The default decision is `passed`, or `changed` when something changed. */
  end(decision?: string, reason?: string): void {
    this.#endMs = this.#trace.now();
    if (decision !== undefined) this.#decision = decision;
    else if (this.#decision === 'unfinished') this.#decision = 'passed';
    if (reason !== undefined && reason !== '') this.addDetails({ reason });
  }

  get result(): TracedStep {
    const { reason = this.#explanation?.reason, ...details } = this.#details;
    return {
      name: this.#name,
      decision: this.#decision,
      startMs: rounded(this.#startMs),
      durationMs: rounded((this.#endMs ?? this.#trace.now()) - this.#startMs),
      ...details,
      ...(reason === undefined || reason === '' || this.#trace.isConfidential
        ? {}
        : { reason: reason.slice(0, MAX_TEXT) }),
      ...this.#patch,
      ...(this.#steps === undefined ? {} : { steps: this.#steps.map((step) => step.result) }),
    };
  }
}

/** Records the steps of one request; stages, plugins and webhooks add theirs. */
export class RequestTrace {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #steps: TraceStep[] = [];
  #status: Status | undefined;
  #endMs: number | undefined;
  #wrote: WrittenObject | undefined;
  #stepCount = 0;
  #patchBytes = 0;
  /** Whether the request is for objects with secrets: neither values nor messages about them are recorded. */
  isConfidential = false;
  /** The current stage. */
  stage: TraceStep | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.monotonic();
  }

  /** Milliseconds since the request arrived. */
  now(): number {
    return this.#clock.monotonic() - this.#start;
  }

  begin(name: string): TraceStep {
    const step = new TraceStep(this, name);
    if (this.hasRoomForStep()) this.#steps.push(step);
    return step;
  }

  /** For steps: counts one more; false when there are too many. */
  hasRoomForStep(): boolean {
    this.#stepCount += 1;
    return this.#stepCount <= MAX_STEPS;
  }

  /** For steps: whether the values of a patch may be recorded. */
  hasRoomForPatch(operations: readonly PatchOperation[]): boolean {
    if (this.isConfidential) return false;
    const bytes = JSON.stringify(operations).length;
    if (this.#patchBytes + bytes > MAX_PATCH_BYTES) return false;
    this.#patchBytes += bytes;
    return true;
  }

  /** Records the Status of the answer; the last call counts. */
  answered(status: Status): void {
    this.#status = status;
  }

  /** Records which object the request wrote. */
  wrote(object: WrittenObject): void {
    this.#wrote = object;
  }

  /** Called when the request has been answered. */
  end(): void {
    this.#endMs = this.now();
  }

  /** What was written, and how long the request took, without the steps. */
  get written(): { readonly wrote: WrittenObject | undefined; readonly durationMs: number } {
    return { wrote: this.#wrote, durationMs: this.#endMs ?? this.now() };
  }

  /** The recorded trace; built on demand, because most traces are never read. */
  get result(): Pick<TracedRequest, 'reason' | 'message' | 'durationMs' | 'wrote' | 'steps'> {
    const { reason, message } = this.#status ?? {};
    return {
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined || this.isConfidential ? {} : { message: message.slice(0, MAX_TEXT) }),
      durationMs: rounded(this.#endMs ?? this.now()),
      ...(this.#wrote === undefined ? {} : { wrote: this.#wrote }),
      steps: this.#steps.map((step) => step.result),
    };
  }
}

function withoutValue({ op, path }: PatchOperation): TracedOperation {
  return { op, path };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
