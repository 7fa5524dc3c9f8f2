import { parseGoInteger, ValueError } from '../../api/client.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import type { Observed } from '../../client/index.ts';
import { isActive, isAssigned, isReady, isSidecar, readySince } from '../../api/meaning/index.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASE_ORDER: ReadonlyMap<string | undefined, number> = new Map([
  ['Pending', 0],
  ['Unknown', 1],
  ['Running', 2],
]);

/** A pod with its sort keys. */
interface Candidate {
  readonly pod: Observed<Pod>;
  readonly isAssigned: boolean;
  readonly phase: number;
  readonly isReady: boolean;
  readonly cost: number;
  readonly neighbours: number;
  readonly readySinceMs: number | undefined;
  readonly restarts: number;
  readonly sidecarRestarts: number;
  readonly createdMs: number;
}

/** Negative when the first pod is deleted before the second. */
type Rule = (left: Candidate, right: Candidate, nowMs: number) => number;

/** In order of precedence: the first rule with a difference decides. */
const RULES: readonly Rule[] = [
  unassignedFirst,
  earlierPhaseFirst,
  unreadyFirst,
  cheaperFirst,
  crowdedFirst,
  shorterReadyFirst,
  restartedFirst,
  youngerFirst,
];

export interface DeletionOrderOptions {
  /** Pods of the same application; their number on the pod's node is its crowdedness. */
  readonly related: readonly Observed<Pod>[];
  readonly nowMs: number;
}

/** The pods to delete to reduce the number by `count`: those whose loss hurts least. */
export function choosePodsToDelete(
  pods: readonly Observed<Pod>[],
  count: number,
  { related, nowMs }: DeletionOrderOptions,
): readonly Observed<Pod>[] {
  if (count >= pods.length) return pods;
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec?.nodeName ?? '';
    if (isActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  const candidates = pods.map((pod) => toCandidate(pod, onNode.get(pod.spec?.nodeName ?? '') ?? 0));
  candidates.sort((left, right) => compare(left, right, nowMs));
  return candidates.slice(0, count).map(({ pod }) => pod);
}

function compare(left: Candidate, right: Candidate, nowMs: number): number {
  for (const rule of RULES) {
    const order = rule(left, right, nowMs);
    if (order !== 0) return order;
  }
  return 0;
}

function toCandidate(pod: Observed<Pod>, neighbours: number): Candidate {
  const sidecars = new Set(pod.spec?.initContainers?.filter(isSidecar).map(({ name }) => name));
  const restartsOf = (statuses: readonly { readonly restartCount?: number }[] | undefined): number =>
    Math.max(0, ...(statuses ?? []).map(({ restartCount }) => restartCount ?? 0));
  return {
    pod,
    isAssigned: isAssigned(pod),
    phase: PHASE_ORDER.get(pod.status?.phase) ?? 0,
    isReady: isReady(pod),
    cost: deletionCost(pod.metadata.annotations?.[DELETION_COST]),
    neighbours,
    readySinceMs: readySince(pod),
    restarts: restartsOf(pod.status?.containerStatuses),
    sidecarRestarts: restartsOf(pod.status?.initContainerStatuses?.filter(({ name }) => sidecars.has(name))),
    createdMs: Date.parse(pod.metadata.creationTimestamp),
  };
}

/** A 32-bit integer without plus sign or leading zeros; anything else counts as 0. */
function deletionCost(text: string | undefined): number {
  if (text === undefined || !/^(?:-|0$|[1-9])/.test(text)) return 0;
  const value = parseGoInteger(text, 'ParseInt', 32);
  return value instanceof ValueError ? 0 : Number(value);
}

function unassignedFirst(left: Candidate, right: Candidate): number {
  return Number(left.isAssigned) - Number(right.isAssigned);
}

function earlierPhaseFirst(left: Candidate, right: Candidate): number {
  return left.phase - right.phase;
}

function unreadyFirst(left: Candidate, right: Candidate): number {
  return Number(left.isReady) - Number(right.isReady);
}

function cheaperFirst(left: Candidate, right: Candidate): number {
  return left.cost - right.cost;
}

function crowdedFirst(left: Candidate, right: Candidate): number {
  return right.neighbours - left.neighbours;
}

function shorterReadyFirst(left: Candidate, right: Candidate, nowMs: number): number {
  if (!left.isReady || !right.isReady || left.readySinceMs === right.readySinceMs) return 0;
  if (left.readySinceMs === undefined) return -1;
  if (right.readySinceMs === undefined) return 1;
  return ageClass(left.readySinceMs, nowMs) - ageClass(right.readySinceMs, nowMs) || compareUids(left, right);
}

function restartedFirst(left: Candidate, right: Candidate): number {
  return right.restarts - left.restarts || right.sidecarRestarts - left.sidecarRestarts;
}

function youngerFirst(left: Candidate, right: Candidate, nowMs: number): number {
  if (left.createdMs === right.createdMs) return 0;
  return ageClass(left.createdMs, nowMs) - ageClass(right.createdMs, nowMs) || compareUids(left, right);
}

/**
 * Buckets ages by powers of two, so that pods of similar age are ordered by uid, effectively at random, and not by age.
 */
function ageClass(sinceMs: number, nowMs: number): number {
  const ageNanos = (nowMs - sinceMs) * 1e6;
  return ageNanos > 0 ? Math.trunc(Math.log2(ageNanos)) : -1;
}

function compareUids(left: Candidate, right: Candidate): number {
  return compareUtf8(left.pod.metadata.uid, right.pod.metadata.uid);
}
