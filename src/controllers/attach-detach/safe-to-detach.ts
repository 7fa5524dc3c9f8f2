import type { Node, Observed } from '../../client/index.ts';
import type { AttachParts } from './attach-parts.ts';

/** Maximum time that an unhealthy node keeps a volume attached by reporting it in use. */
const MAX_UNMOUNT_MS = 360_000;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/** How long an unused volume must stay attached to the node; 0 when it can be detached now. */
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
      ? memory.inUseOfDeletedNodes.get(nodeName)?.has(uniqueName)
      : node.status?.volumesInUse?.includes(uniqueName);
  if (isInUse !== true) return 0;
  const isOut = node?.spec?.taints?.some((taint) => taint.key === OUT_OF_SERVICE) === true;
  if (!isOut && (neverForces || isHealthy(node))) return Infinity;
  const waitMs = isOut ? 0 : Math.max(0, sinceMs + MAX_UNMOUNT_MS - clock.now());
  if (waitMs === 0 && !memory.leaving.has(key)) metrics.forced(isOut ? 'out-of-service' : 'timeout');
  return waitMs;
}

function isHealthy(node: Observed<Node> | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
}
