import { compareUtf8, messageOf } from '../../base/index.ts';
import { StatusError } from '../../client/index.ts';
import { Diagnosis } from './diagnosis.ts';
import type { Nomination } from './plugin.ts';
import type { Rejection } from './rejection.ts';

/** No node will do for a pod. The message is what users read in events and conditions. */
export class FitError extends Error {
  override readonly name = 'FitError';
  readonly diagnosis: Diagnosis;
  /** Where the pod is nominated for now; undefined leaves that as it is, the empty name means nowhere. */
  readonly nominatedNodeName: string | undefined;

  /** The outcome is that of PostFilter. */
  constructor(nodeCount: number, diagnosis: Diagnosis, outcome: { readonly message: string } & Partial<Nomination>) {
    diagnosis.postFilterMessage = outcome.message;
    super(fitMessage(nodeCount, diagnosis));
    this.diagnosis = diagnosis;
    this.nominatedNodeName = outcome.nominatedNodeName;
  }
}

/** A plugin has rejected a pod after its node was chosen, in Reserve or Permit. */
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
  for (const [{ reasons }, nodes] of diagnosis.tally()) for (const reason of reasons) count(reason, nodes.count);
  const others = nodeCount - diagnosis.size;
  if (others > 0) for (const reason of diagnosis.forOthers?.reasons ?? []) count(reason, others);
  return Array.from(counts, ([reason, nodes]) => `${nodes} ${reason}`).sort(compareUtf8);
}

/** A plugin has failed. The pod is not to blame, and is tried again. */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';

  /** `what` such as `running Bind plugin "DefaultBinder"`. */
  constructor(what: string, cause: unknown) {
    super(`${what}: ${reasonFor(cause)}`, { cause });
  }
}

/** The message of an error for users. */
export function reasonFor(cause: unknown): string {
  return (cause instanceof StatusError ? cause.status.message : undefined) ?? messageOf(cause);
}
