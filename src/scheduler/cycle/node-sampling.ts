/** Clusters with fewer nodes than this are searched whole. */
const LEAST_NODES = 100;
const LEAST_PERCENTAGE = 5;

/**
 * How many nodes that would do are enough to choose from: in a large cluster, looking at all of them costs more than a
 * slightly better choice brings.
 *
 * Example: all of 99, 100 of 100 to 200 or so, 420 of 1,000, 500 of 5,000 (10 %), 5 % from 5,625 nodes on.
 */
export function feasibleNodesToFind(nodeCount: number, percentage: number | undefined): number {
  if (nodeCount < LEAST_NODES) return nodeCount;
  const share = percentage === undefined || percentage === 0 ? adaptivePercentage(nodeCount) : percentage;
  return Math.max(LEAST_NODES, Math.floor((nodeCount * share) / 100));
}

function adaptivePercentage(nodeCount: number): number {
  return Math.max(LEAST_PERCENTAGE, 50 - Math.floor(nodeCount / 125));
}
