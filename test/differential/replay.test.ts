import { beforeAll, describe, expect, test } from 'vitest';
import { caseId } from './case.ts';
import { grouped } from './grouped.ts';
import { type CaseVerdict, describeProblems, isAsExpected } from './judge-case.ts';
import { loadKnownDifferences, loadOurAnswers } from './known-differences.ts';
import { loadCases } from './load-cases.ts';
import { readRecordings } from './recording.ts';
import { replay } from './replay.ts';

const cases = loadCases();
const listed = loadKnownDifferences();
const ours = loadOurAnswers();
const topics = grouped(cases, ({ topic }) => topic);
let verdicts = new Map<string, CaseVerdict>();

const PATIENCE_MS = 600_000;

beforeAll(async () => {
  verdicts = await replay(cases, { listed, ours });
}, PATIENCE_MS);

test('every listed difference belongs to a compared step of a case', () => {
  const steps = new Set(
    cases.flatMap((played) =>
      played.steps.flatMap(({ isSetup }, index) => (isSetup ? [] : [`${caseId(played)} ${index + 1}`])),
    ),
  );

  expect(listed.filter((entry) => !steps.has(`${entry.case} ${entry.step}`))).toEqual([]);
  const places = new Set(listed.map((entry) => `${entry.case} ${entry.step}`));
  expect(Object.keys(ours).filter((step) => !places.has(step))).toEqual([]);
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
