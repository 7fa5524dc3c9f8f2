import { MAX_NODE_SCORE } from '../framework/plugin.ts';

/** Scales scores so that the highest becomes `MAX_NODE_SCORE`; zeros stay zero. */
export function normalizeScores(scores: Float64Array): void {
  const highest = highestOf(scores);
  if (highest === 0) return;
  for (let index = 0; index < scores.length; index++) {
    scores[index] = Math.floor((MAX_NODE_SCORE * scores[index]!) / highest);
  }
}

/** Like `normalizeScores`, but reversed, so that the highest becomes 0: for costs. */
export function normalizeReversed(scores: Float64Array): void {
  normalizeScores(scores);
  for (let index = 0; index < scores.length; index++) scores[index] = MAX_NODE_SCORE - scores[index]!;
}

function highestOf(scores: Float64Array): number {
  let highest = 0;
  for (let index = 0; index < scores.length; index++) {
    if (scores[index]! > highest) highest = scores[index]!;
  }
  return highest;
}
