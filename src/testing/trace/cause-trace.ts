import type { ReconcileOutcome } from '../../kit/index.ts';
import type { RequestVerb } from '../resource-request.ts';
import { traceSvg } from './trace-svg.ts';
import { traceText } from './trace-text.ts';

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

/** What happened in a cluster, and what led to what: a request, the runs of those who saw what it wrote, their requests, and so on. */
export class CauseTrace {
  /** What nothing in the cluster led to: requests of the test, and runs at the start or when time had passed. */
  readonly roots: readonly TraceNode[];
  /** So many of the oldest entries were forgotten. */
  readonly forgotten: number;

  constructor(roots: readonly TraceNode[], forgotten: number) {
    this.roots = roots;
    this.forgotten = forgotten;
  }

  /** The part that begins with requests or runs that pass the test, wherever they are. */
  under(test: (node: TraceNode) => boolean): CauseTrace {
    const find = (node: TraceNode): readonly TraceNode[] => (test(node) ? [node] : node.children.flatMap(find));
    return new CauseTrace(this.roots.flatMap(find), this.forgotten);
  }

  /** As lines of text, indented by cause. */
  get text(): string {
    return traceText(this);
  }

  /** As a picture that needs nothing but itself; for a file that a browser opens. */
  get svg(): string {
    return traceSvg(this);
  }

  toString(): string {
    return this.text;
  }
}
