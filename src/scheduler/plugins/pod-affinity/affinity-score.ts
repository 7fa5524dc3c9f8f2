import type { NodeInfo } from '../../cache/node-info.ts';
import { MAX_NODE_SCORE } from '../../framework/plugin.ts';

/**
 * A preferred term: adds its weight for every matching pod in the node's domain; a negative weight for anti-affinity.
 */
export interface Influence {
  readonly topologyKey: string;
  readonly weight: number;
  /** The number of matching pods in the domain with this value. */
  podsIn(value: string): number;
}

export function scoreBy(influences: readonly Influence[], { node }: NodeInfo): number {
  const labels = node?.metadata.labels;
  let sum = 0;
  for (let index = 0; index < influences.length; index++) {
    const influence = influences[index] as Influence;
    const value = labels?.[influence.topologyKey];
    if (value !== undefined) sum += influence.weight * influence.podsIn(value);
  }
  return sum;
}

/**
 * Scales the scores so that the lowest becomes 0 and the highest `MAX_NODE_SCORE`; all become 0 when they are equal.
 */
export function stretch(scores: Float64Array): void {
  let lowest = Infinity;
  let highest = -Infinity;
  for (const score of scores) {
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  const difference = highest - lowest;
  for (let index = 0; index < scores.length; index++)
    scores[index] = difference > 0 ? Math.trunc(MAX_NODE_SCORE * ((scores[index]! - lowest) / difference)) : 0;
}
