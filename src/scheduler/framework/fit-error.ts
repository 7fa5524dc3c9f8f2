import { compareUtf8, messageOf } from '../../base/index.ts';
import { StatusError } from '../../client/index.ts';
import { Diagnosis } from './diagnosis.ts';
import type { Nomination } from './plugin.ts';
import type { Rejection } from './rejection.ts';

/** No node fits the pod. Users read the message in events and conditions. */
export class FitError extends Error {
  override readonly name = 'FitError';
  readonly diagnosis: Diagnosis;
  /** The pod's new nomination; undefined keeps the current one, an empty name removes it. */
  readonly nominatedNodeName: string | undefined;

  /** `outcome` is PostFilter's. */
  constructor(nodeCount: number, diagnosis: Diagnosis, outcome: { readonly message: string } & Partial<Nomination>) {
    diagnosis.postFilterMessage = outcome.message;
    super(fitMessage(nodeCount, diagnosis));
    this.diagnosis = diagnosis;
    this.nominatedNodeName = outcome.nominatedNodeName;
  }
}

/** A plugin rejected a pod in Reserve or Permit, after its node was chosen. */
export class PodRejectedError extends Error {
  override readonly name = 'PodRejectedError';
  readonly rejection: Rejection;

  constructor(nodeName: string, rejection: Rejection) {
    const diagnosis = new Diagnosis();
    diagnosis.reject(nodeName, rejection);
    super(fitMessage(1, diagnosis));
    this.rejection = rejection;
  }
}

/** The cluster has no nodes. */
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
  for (const [{ reasons }, nodes] of diagnosis.tally()) for (const reason of reasons) count(reason, nodes.count);
  const others = nodeCount - diagnosis.size;
  if (others > 0) for (const reason of diagnosis.forOthers?.reasons ?? []) count(reason, others);
  return Array.from(counts, ([reason, nodes]) => `${nodes} ${reason}`).sort(compareUtf8);
}

/** A plugin failed. The pod stays schedulable and is tried again. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';

  /** `what` is a description such as `running Bind plugin "DefaultBinder"`. */
  constructor(what: string, cause: unknown) {
    super(`${what}: ${reasonFor(cause)}`, { cause });
  }
}

/** The error as text for users. */
export function reasonFor(cause: unknown): string {
  return (cause instanceof StatusError ? cause.status.message : undefined) ?? messageOf(cause);
}
