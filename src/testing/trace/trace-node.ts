import type { ReconcileOutcome } from '../../kit/index.ts';
import type { RequestVerb } from '../resource-request.ts';

/** A request that wrote something, or was refused, and what came of it. */
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
  /** As answered; 0 when no answer came. */
  readonly code: number;
  /** Why it was refused, or no answer came. */
  readonly message?: string;
  /** The fault that struck it, of those made with `cluster.fault`. */
  readonly fault?: string;
  /** What it led to, in order. */
  readonly children: readonly TraceNode[];
}

/** A run of a controller, and what it wrote. */
export interface TracedRun {
  readonly type: 'run';
  readonly atMs: number;
  readonly controller: string;
  readonly key: string;
  readonly why: readonly string[];
  /** Undefined while it is under way. */
  readonly outcome: ReconcileOutcome | undefined;
  /** Why it failed. */
  readonly message?: string;
  readonly children: readonly TraceNode[];
}

export type TraceNode = TracedWrite | TracedRun;

/** What a picture of a trace is made from. */
export interface TracePicture {
  readonly roots: readonly TraceNode[];
  /** So many of the oldest entries were forgotten. */
  readonly forgotten: number;
}
