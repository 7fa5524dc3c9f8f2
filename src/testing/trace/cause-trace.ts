import type { TraceNode } from './trace-node.ts';
import { traceSvg } from './trace-svg.ts';
import { traceText } from './trace-text.ts';

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
