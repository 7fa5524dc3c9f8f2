import type { Random } from '../../base/index.ts';
import type { NodeInfo } from '../cache/node-info.ts';

/** The node with the highest score; one of several by chance, each as likely as the others. */
export function selectNode(nodes: readonly NodeInfo[], scores: Float64Array, random: Random): NodeInfo {
  let best = 0;
  let ties = 1;
  for (let index = 1; index < nodes.length; index++) {
    const difference = scores[index]! - scores[best]!;
    if (difference > 0) {
      best = index;
      ties = 1;
    } else if (difference === 0 && random.int(++ties) === 0) best = index;
  }
  return nodes[best] as NodeInfo;
}
