import type { ReconcileOutcome } from '../../kit/index.ts';
import type { RequestVerb } from '../resource-request.ts';

/** A write or a rejected request, and its effects. */
export interface TracedWrite {
  readonly type: 'write';
  /** Milliseconds since the trace began, by the cluster's clock. */
  readonly atMs: number;
  readonly user: string;
  readonly program: string;
  readonly verb: RequestVerb;
  /** Such as `pods` or `pods/status`. */
  readonly resource: string;
  /** `namespace/name`, or the name alone. */
  readonly key: string;
  /** The status code; 0 without a response. */
  readonly code: number;
  /** The error. */
  readonly message?: string;
  /** The fault of `cluster.fault` that was injected. */
  readonly fault?: string;
  /** Its effects, in order. */
  readonly children: readonly TraceNode[];
}

/** A run of a controller, and its writes. */
export interface TracedRun {
  readonly type: 'run';
  readonly atMs: number;
  readonly controller: string;
  readonly key: string;
  readonly why: readonly string[];
  /** Undefined while it runs. */
  readonly outcome: ReconcileOutcome | undefined;
  /** Why it failed. */
  readonly message?: string;
  readonly children: readonly TraceNode[];
}

/** A write or a run in a trace of cause and effect. */
export type TraceNode = TracedWrite | TracedRun;

/** The input of the text and SVG output. */
export interface TracePicture {
  readonly roots: readonly TraceNode[];
  /** The number of oldest entries that were dropped. */
  readonly forgotten: number;
}
