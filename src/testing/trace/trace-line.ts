import { formatDuration } from '../../base/index.ts';
import type { TraceNode } from './trace-node.ts';

/** A node as one line of output. */
export interface TraceLine {
  readonly node: TraceNode;
  readonly depth: number;
  /** For the node and each ancestor, the node first: whether it has a next sibling. */
  readonly hasNext: readonly boolean[];
  /** What happened. */
  readonly title: string;
  /** The result or the cause. */
  readonly detail: string;
  readonly isBad: boolean;
}

const MAX_DETAIL = 160;

/** The nodes of a tree from top to bottom. */
export function linesOf(roots: readonly TraceNode[]): readonly TraceLine[] {
  const lines: TraceLine[] = [];
  const waiting: { node: TraceNode; hasNext: readonly boolean[]; program: string }[] = [];
  const push = (nodes: readonly TraceNode[], above: readonly boolean[], program: string): void => {
    for (const [index, node] of [...nodes.entries()].reverse())
      waiting.push({ node, hasNext: [index < nodes.length - 1, ...above], program });
  };
  push(roots, [], '');
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, hasNext, program } = next;
    lines.push({ node, depth: hasNext.length - 1, hasNext, ...wordsOf(node, program) });
    push(node.children, hasNext, node.type === 'run' ? 'run' : '');
  }
  return lines;
}

export function timeOf({ atMs }: TraceNode): string {
  return atMs === 0 ? '0s' : formatDuration(Math.round(atMs));
}

/** Names the sender of a request, unless it is the run above it. */
function wordsOf(node: TraceNode, above: string): Pick<TraceLine, 'title' | 'detail' | 'isBad'> {
  if (node.type === 'run') {
    const { controller, key, why, outcome, message } = node;
    const isBad = outcome === 'failed' || outcome === 'conflict';
    const end = isBad ? `${outcome}: ${message ?? ''}` : '';
    const reasons = why.length === 0 ? '' : `because ${why.join(', ')}`;
    return { title: `${controller} runs for ${key}`, detail: cut([end, reasons].filter(Boolean).join('; ')), isBad };
  }
  const { program, user, verb, resource, key, code, message, fault } = node;
  const who = above === 'run' ? '' : `${program === user || user === '' ? program : `${program} (${user})`} `;
  const isBad = code === 0 || code >= 400;
  const end = isBad ? `${code === 0 ? 'no answer' : code}${message === undefined ? '' : `: ${message}`}` : '';
  const struck = fault === undefined ? '' : `fault "${fault}"`;
  return {
    title: `${who}${verb} ${resource} ${key}`.trimEnd(),
    detail: cut([struck, end].filter(Boolean).join('; ')),
    isBad,
  };
}

function cut(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}
