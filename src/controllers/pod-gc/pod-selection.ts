// Selects the pods that the pod garbage collector deletes.
import type { Node, Pod } from '../../api/types/core/v1.d.ts';
import type { Observed } from '../../client/index.ts';

const OUT_OF_SERVICE_TAINT = 'node.kubernetes.io/out-of-service';
const LIVE_PHASES = ['Pending', 'Running', 'Unknown'];

/** Whether the pod has succeeded or failed. */
export function isTerminated({ status }: Observed<Pod>): boolean {
  return !LIVE_PHASES.includes(status?.phase ?? '');
}

export function isTerminating({ metadata }: Observed<Pod>): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Whether the node has the out-of-service taint and is not ready: its pods cannot terminate by themselves. */
export function isOutOfService({ spec, status }: Observed<Node>): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status !== 'True' && (spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE_TAINT) ?? false);
}

/** The terminated pods above the threshold: evicted ones first, then the oldest. */
export function surplusOf(pods: Iterable<Observed<Pod>>, threshold: number): Observed<Pod>[] {
  const terminated = [...pods].filter(isTerminated);
  const count = terminated.length - threshold;
  return count <= 0 ? [] : terminated.sort(goesBefore).slice(0, count);
}

function goesBefore(left: Observed<Pod>, right: Observed<Pod>): number {
  const byEviction = Number(isEvicted(right)) - Number(isEvicted(left));
  if (byEviction !== 0) return byEviction;
  return (
    compare(left.metadata.creationTimestamp, right.metadata.creationTimestamp) ||
    compare(left.metadata.name, right.metadata.name)
  );
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function isEvicted({ status }: Observed<Pod>): boolean {
  return status?.phase === 'Failed' && status.reason === 'Evicted';
}
