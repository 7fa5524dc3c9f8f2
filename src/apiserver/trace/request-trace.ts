import { jsonPatchBetween, type PatchOperation, type Status } from '../../api/index.ts';
import type { Clock } from '../../base/index.ts';

/** One step of a request: a stage, an admission plugin, a webhook, a policy. */
export interface TracedStep {
  readonly name: string;
  /** Milliseconds since the request arrived. */
  readonly startMs: number;
  readonly durationMs: number;
  /** What came of it: `passed`, `changed`, `skipped`, `refused`, `failed`, or what an authorizer said. */
  readonly decision: string;
  /** Who decided, and why, where that is known. */
  readonly by?: string;
  readonly reason?: string;
  /** What the step changed in the object. Paths only, without values, where `isConcealed`. */
  readonly patch?: readonly TracedOperation[];
  /** The patch was too long to be kept, or tells of something secret. */
  readonly isConcealed?: boolean;
  readonly steps?: readonly TracedStep[];
}

/** An operation of a JSON patch; `value` is absent where it is concealed. */
export type TracedOperation = PatchOperation | { readonly op: string; readonly path: string };

/** What became of one request, and why. */
export interface TracedRequest {
  /** Counts up; the first of a server is `1`. */
  readonly id: string;
  readonly auditId: string;
  /** When it arrived. */
  readonly time: string;
  readonly method: string;
  /** With its query, except for connections, whose query is the business of a program behind the server. */
  readonly path: string;
  readonly user: string;
  readonly userAgent: string;
  readonly code: number;
  /** Of the Status that was answered, if it was one. */
  readonly reason?: string;
  readonly message?: string;
  readonly durationMs: number;
  readonly warnings?: readonly string[];
  readonly steps: readonly TracedStep[];
}

/** What is kept of the patches of one request; those beyond it are kept without their values. */
const MAX_PATCH_BYTES = 64 * 1024;
/** Of one step, and of one request with all steps within steps. */
const MAX_OPERATIONS = 100;
const MAX_STEPS = 500;
/** Characters of a message. */
const MAX_TEXT = 1024;

/** A step that is being taken. */
export class TraceStep {
  readonly #trace: RequestTrace;
  readonly #name: string;
  readonly #startMs: number;
  #endMs: number | undefined;
  #decision = 'unfinished';
  #told: Pick<TracedStep, 'by' | 'reason'> = {};
  #patch: Pick<TracedStep, 'patch' | 'isConcealed'> = {};
  #steps: TraceStep[] | undefined;

  constructor(trace: RequestTrace, name: string) {
    this.#trace = trace;
    this.#name = name;
    this.#startMs = trace.now();
  }

  /** Begins a step within this one. */
  begin(name: string): TraceStep {
    const step = new TraceStep(this.#trace, name);
    if (this.#trace.hasRoomForStep()) (this.#steps ??= []).push(step);
    return step;
  }

  /** Adds who decides, or why. */
  tell(told: Pick<TracedStep, 'by' | 'reason'>): void {
    this.#told = { ...this.#told, ...told };
  }

  /** Keeps what the step made of an object. */
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

  /** Ends the step; `reason` says why it ended as it did. Without a decision it has passed, or changed something. */
  end(decision?: string, reason?: string): void {
    this.#endMs = this.#trace.now();
    if (decision !== undefined) this.#decision = decision;
    else if (this.#decision === 'unfinished') this.#decision = 'passed';
    if (reason !== undefined && reason !== '') this.tell({ reason });
  }

  get result(): TracedStep {
    const { reason, ...told } = this.#told;
    return {
      name: this.#name,
      decision: this.#decision,
      startMs: rounded(this.#startMs),
      durationMs: rounded((this.#endMs ?? this.#trace.now()) - this.#startMs),
      ...told,
      ...(reason === undefined || this.#trace.isConfidential ? {} : { reason: reason.slice(0, MAX_TEXT) }),
      ...this.#patch,
      ...(this.#steps === undefined ? {} : { steps: this.#steps.map((step) => step.result) }),
    };
  }
}

/** What is noted of a request on its way; stages, plugins and webhooks add their steps. */
export class RequestTrace {
  readonly #clock: Clock;
  readonly #start: number;
  readonly #steps: TraceStep[] = [];
  #status: Status | undefined;
  #endMs: number | undefined;
  #stepCount = 0;
  #patchBytes = 0;
  /** The request is for objects that carry secrets: no values and no words about them are kept. */
  isConfidential = false;
  /** The stage that the request is in. */
  stage: TraceStep | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.monotonic();
  }

  /** Milliseconds since the request came. */
  now(): number {
    return this.#clock.monotonic() - this.#start;
  }

  begin(name: string): TraceStep {
    const step = new TraceStep(this, name);
    if (this.hasRoomForStep()) this.#steps.push(step);
    return step;
  }

  /** For steps: counts one more, unless there are too many. */
  hasRoomForStep(): boolean {
    this.#stepCount += 1;
    return this.#stepCount <= MAX_STEPS;
  }

  /** For steps: whether the values of a patch may be kept. */
  hasRoomForPatch(operations: readonly PatchOperation[]): boolean {
    if (this.isConfidential) return false;
    const bytes = JSON.stringify(operations).length;
    if (this.#patchBytes + bytes > MAX_PATCH_BYTES) return false;
    this.#patchBytes += bytes;
    return true;
  }

  /** Notes the Status that is answered; the last one counts. */
  answered(status: Status): void {
    this.#status = status;
  }

  /** The request has been answered. */
  end(): void {
    this.#endMs = this.now();
  }

  /** What was noted; made when somebody asks, since most traces are never looked at. */
  get result(): Pick<TracedRequest, 'reason' | 'message' | 'durationMs' | 'steps'> {
    const { reason, message } = this.#status ?? {};
    return {
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined || this.isConfidential ? {} : { message: message.slice(0, MAX_TEXT) }),
      durationMs: rounded(this.#endMs ?? this.now()),
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
