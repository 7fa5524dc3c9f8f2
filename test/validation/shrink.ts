import { type Answer, sameAnswer } from './answer.ts';
import type { Case } from './case.ts';
import { type Difference, signature } from './difference.ts';

/** What both servers answer to a case. */
export type AskBoth = (played: Case) => Promise<{ readonly real: Answer; readonly ours: Answer }>;

/** The difference with as few edits as still show it: each that can be left out is. */
export async function shrunk(difference: Difference, askBoth: AskBoth): Promise<Difference> {
  const wanted = signature(difference);
  let smallest = difference;
  for (let at = 0; at < smallest.played.edits.length && smallest.played.edits.length > 1;) {
    const played = { ...smallest.played, edits: smallest.played.edits.toSpliced(at, 1) };
    const tried: Difference = { ...difference, played, ...(await askBoth(played)) };
    if (!sameAnswer(tried.real, tried.ours) && signature(tried) === wanted) smallest = tried;
    else at += 1;
  }
  return smallest;
}
