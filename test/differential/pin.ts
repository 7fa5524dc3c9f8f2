// Plays the corpus on our server and keeps what it answers where a difference is known: `npm run differential:pin`.
import { describeProblems, isAsExpected, stepId } from './judge-case.ts';
import { loadKnownDifferences, pinned, writeOurAnswers } from './known-differences.ts';
import { loadCases } from './load-cases.ts';
import { replay } from './replay.ts';

const verdicts = await replay(loadCases(), { listed: loadKnownDifferences(), ours: {} });
const answers: Record<string, Record<string, unknown>> = {};
let bad = 0;
for (const verdict of verdicts.values()) {
  const { played, known } = verdict;
  for (const { step, difference } of known) {
    const id = stepId(played, step);
    answers[id] = { ...answers[id], ...pinned([difference]) };
  }
  const other = { ...verdict, changed: [] };
  if (isAsExpected(other)) continue;
  bad += 1;
  console.log(`${describeProblems(other)}\n`);
}
writeOurAnswers(answers);
console.log(`${Object.keys(answers).length} answers pinned, ${bad} cases with differences that are not known`);
process.exitCode = bad === 0 ? 0 : 1;
