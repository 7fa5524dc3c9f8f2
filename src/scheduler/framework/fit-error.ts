import { compareUtf8 } from '../../base/index.ts';
import type { Diagnosis } from './diagnosis.ts';

/** No node will do for a pod. The message is what users read in events and conditions. */
export class FitError extends Error {
  override readonly name = 'FitError';
  readonly diagnosis: Diagnosis;

  constructor(nodeCount: number, diagnosis: Diagnosis) {
    super(fitMessage(nodeCount, diagnosis));
    this.diagnosis = diagnosis;
  }
}

/** There is no node at all. */
export class NoNodesError extends Error {
  override readonly name = 'NoNodesError';

  constructor() {
    super('no nodes available to schedule pods');
  }
}

/** Example: `0/3 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: …`. */
export function fitMessage(nodeCount: number, diagnosis: Diagnosis): string {
  const { preFilterMessage, postFilterMessage } = diagnosis;
  const reasons = preFilterMessage === '' ? countReasons(nodeCount, diagnosis).join(', ') : preFilterMessage;
  const filtered = reasons === '' ? '' : ` ${reasons}.`;
  const after = postFilterMessage === '' ? '' : ` ${postFilterMessage}`;
  return `0/${nodeCount} nodes are available:${filtered}${after}`;
}

function countReasons(nodeCount: number, diagnosis: Diagnosis): string[] {
  const counts = new Map<string, number>();
  const count = (reason: string, nodes: number): void => void counts.set(reason, (counts.get(reason) ?? 0) + nodes);
  for (const [, rejection] of diagnosis.entries()) {
    for (const reason of rejection.reasons) count(reason, 1);
  }
  const others = nodeCount - diagnosis.size;
  if (others > 0) for (const reason of diagnosis.forOthers?.reasons ?? []) count(reason, others);
  return Array.from(counts, ([reason, nodes]) => `${nodes} ${reason}`).sort(compareUtf8);
}
