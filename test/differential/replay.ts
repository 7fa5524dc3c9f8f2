import { type Case, caseId } from './case.ts';
import { grouped } from './grouped.ts';
import { type CaseVerdict, isAsExpected, judgeCase, type Knowledge, unplayable } from './judge-case.ts';
import { playOn, startOwnTarget } from './play-on.ts';
import { readRecordings } from './recording.ts';
import type { Target } from './target.ts';

const LANES = 4;

/** Plays all cases on our server and judges them by the recorded answers; cases without a recording have no verdict. */
export async function replay(cases: readonly Case[], knowledge: Knowledge): Promise<Map<string, CaseVerdict>> {
  const verdicts = new Map<string, CaseVerdict>();
  const waiting = [...grouped(cases, ({ topic }) => topic).values()];
  const lane = async (): Promise<void> => {
    await using ours = await startOwnTarget();
    for (let ofTopic = waiting.pop(); ofTopic !== undefined; ofTopic = waiting.pop()) {
      for (const verdict of await replayTopic(ofTopic, ours.target, knowledge)) {
        verdicts.set(caseId(verdict.played), verdict);
      }
    }
  };
  // some requests wait by nature (watches until their timeout), so that a few servers are played on side by side
  await Promise.all(Array.from({ length: LANES }, lane));
  return verdicts;
}

async function replayTopic(cases: readonly Case[], target: Target, knowledge: Knowledge): Promise<CaseVerdict[]> {
  const recordings = readRecordings(cases[0]?.topic ?? '');
  const verdicts: CaseVerdict[] = [];
  for (const played of cases) {
    const want = recordings.get(caseId(played))?.answers;
    if (want === undefined) continue;
    const play = (): Promise<CaseVerdict> =>
      playOn(target, played)
        .then((got) => judgeCase(played, { want, got }, knowledge))
        .catch((problem: unknown) => unplayable(played, problem));
    const first = await play();
    // what the server writes by itself, such as its lease, comes between two steps now and then; twice in a row it does not
    const second = isAsExpected(first) ? first : await play();
    verdicts.push(isAsExpected(second) ? second : first);
  }
  return verdicts;
}
