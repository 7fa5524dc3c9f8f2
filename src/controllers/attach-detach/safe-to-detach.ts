import type { Node, Observed } from '../../client/index.ts';
import type { AttachParts } from './attach-parts.ts';

/** After this long a volume is detached from a node that is not well, whatever the node has said last. */
const LONGEST_UNMOUNT_MS = 360_000;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** How long a volume must stay attached to a node that nobody needs it on; 0 when it can be detached now. */
export function detachDelayMs(
  uniqueName: string,
  { key, nodeName }: { readonly key: string; readonly nodeName: string },
  { nodes, memory, clock, neverForces, metrics }: AttachParts,
): number {
  const sinceMs = memory.detachSinceMs.get(key) ?? clock.now();
  memory.detachSinceMs.set(key, sinceMs);
  const node = nodes.get(nodeName);
  const isInUse =
    node === undefined
      ? memory.inUseOfGone.get(nodeName)?.has(uniqueName)
      : node.status?.volumesInUse?.includes(uniqueName);
  if (isInUse !== true) return 0;
  const isOut = node?.spec?.taints?.some((taint) => taint.key === OUT_OF_SERVICE) === true;
  if (!isOut && (neverForces || isHealthy(node))) return Infinity;
  const waitMs = isOut ? 0 : Math.max(0, sinceMs + LONGEST_UNMOUNT_MS - clock.now());
  if (waitMs === 0 && !memory.leaving.has(key)) metrics.forced(isOut ? 'out-of-service' : 'timeout');
  return waitMs;
}

function isHealthy(node: Observed<Node> | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
