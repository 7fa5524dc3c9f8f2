import { beforeAll, describe, expect, test } from 'vitest';
import { type Case, caseId } from './case.ts';
import { grouped } from './grouped.ts';
import { type CaseVerdict, describeProblems, isAsExpected, judgeCase, unplayable } from './judge-case.ts';
import { loadKnownDifferences } from './known-differences.ts';
import { loadCases } from './load-cases.ts';
import { playOn, startOwnTarget } from './play-on.ts';
import { readRecordings } from './recording.ts';
import type { Target } from './target.ts';

const cases = loadCases();
const listed = loadKnownDifferences();
const topics = grouped(cases, ({ topic }) => topic);
const verdicts = new Map<string, CaseVerdict>();

const LANES = 4;
const PATIENCE_MS = 180_000;

// Some requests wait by nature (watches until their timeout), so that a few servers are played on side by side.
beforeAll(async () => {
  const waiting = [...topics.values()];
  await Promise.all(Array.from({ length: LANES }, () => replayLane(waiting)));
}, PATIENCE_MS);

async function replayLane(waiting: (readonly Case[])[]): Promise<void> {
  await using ours = await startOwnTarget();
  for (let ofTopic = waiting.pop(); ofTopic !== undefined; ofTopic = waiting.pop()) {
    await replayTopic(ofTopic, ours.target);
  }
}

async function replayTopic(ofTopic: readonly Case[], target: Target): Promise<void> {
  const recordings = readRecordings(ofTopic[0]?.topic ?? '');
  for (const played of ofTopic) {
    const want = recordings.get(caseId(played))?.answers;
    if (want === undefined) continue;
    const verdict = await playOn(target, played)
      .then((got) => judgeCase(played, { want, got }, listed))
      .catch((problem: unknown) => unplayable(played, problem));
    verdicts.set(caseId(played), verdict);
  }
}

test('every listed difference belongs to a compared step of a case', () => {
  const steps = new Set(
    cases.flatMap((played) =>
      played.steps.flatMap(({ isSetup }, index) => (isSetup ? [] : [`${caseId(played)} ${index + 1}`])),
    ),
  );

  expect(listed.filter((entry) => !steps.has(`${entry.case} ${entry.step}`))).toEqual([]);
});

describe.each([...topics])('%s: our answers are those recorded from kube-apiserver', (topic, ofTopic) => {
  test('there is a recording of every case as it is now, and no other', () => {
    const recorded = [...readRecordings(topic).values()].map(({ case: id, digest }) => `${id} ${digest}`);

    expect(recorded, 'run `npm run differential -- --record` with --topic or --case').toEqual(
      ofTopic.map((played) => `${caseId(played)} ${played.digest}`),
    );
  });

  test.each(ofTopic)('$name: $title', (played) => {
    const verdict = verdicts.get(caseId(played));
    if (verdict === undefined) expect.fail('it was not recorded yet');
    if (!isAsExpected(verdict)) expect.fail(describeProblems(verdict));
  });
});
