import { isDeepStrictEqual } from 'node:util';
import { type Case, caseId } from './case.ts';
import { compareAnswers } from './compare.ts';
import type { NormalAnswer } from './normalize.ts';
import { playOn } from './play-on.ts';
import type { Recording } from './recording.ts';
import type { Target } from './target.ts';

const TRIES = 4;

/**
 * Records the real answers to a case once they are the same twice: what differs from run to run although it was normalised
 * (a background write between two of ours) must not be recorded.
 */
export async function recordCase(played: Case, real: Target): Promise<Recording> {
  const seen: (NormalAnswer | undefined)[][] = [];
  for (let round = 0; round < TRIES; round += 1) {
    const answers = await playOn(real, played);
    if (seen.some((earlier) => isDeepStrictEqual(earlier, answers))) {
      return { case: caseId(played), digest: played.digest, answers: answers.map((answer) => answer ?? null) };
    }
    seen.push(answers);
  }
  throw new Error(`Cannot record case ${caseId(played)}: its answers differ each time: ${firstDifference(seen)}`);
}

function firstDifference([left = [], right = []]: readonly (readonly (NormalAnswer | undefined)[])[]): string {
  for (const [index, want] of left.entries()) {
    const got = right[index];
    const [difference] = want && got ? compareAnswers(want, got) : [];
    if (difference !== undefined) return `step ${index + 1}, ${JSON.stringify(difference)}`;
  }
  return 'in the number of answers';
}
