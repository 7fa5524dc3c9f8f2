import type { TraceNode } from './trace-node.ts';
import { traceSvg } from './trace-svg.ts';
import { traceText } from './trace-text.ts';

/**
 * The causes and effects in a cluster: a request, the runs of controllers that saw its write, their requests, and so
 * on.
 */
export class CauseTrace {
  /** Entries without a cause in the cluster: requests of the test, and runs at the start or by timers. */
  readonly roots: readonly TraceNode[];
  /** The number of oldest entries that were dropped. */
  readonly forgotten: number;

  constructor(roots: readonly TraceNode[], forgotten: number) {
    this.roots = roots;
    this.forgotten = forgotten;
  }

  /** The subtrees of the requests and runs that pass the test. */
  under(test: (node: TraceNode) => boolean): CauseTrace {
    const find = (node: TraceNode): readonly TraceNode[] => (test(node) ? [node] : node.children.flatMap(find));
    return new CauseTrace(this.roots.flatMap(find), this.forgotten);
  }

  /** As lines of text, indented by cause. */
  get text(): string {
    return traceText(this);
  }

  /** As a self-contained SVG for a browser. */
  get svg(): string {
    return traceSvg(this);
  }

  toString(): string {
    return this.text;
  }
}
