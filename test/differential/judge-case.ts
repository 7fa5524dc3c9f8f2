import { isDeepStrictEqual } from 'node:util';
import { type Case, caseId } from './case.ts';
import { compareAnswers, type Difference } from './compare.ts';
import { judge, type KnownDifference, type OurAnswers, pinned } from './known-differences.ts';
import type { NormalAnswer } from './normalize.ts';

/** A difference and the step that showed it. */
export interface StepDifference {
  /** 1 for the first step. */
  readonly step: number;
  readonly request: string;
  readonly difference: Difference;
}

/** What comparing a whole case gave. */
export interface CaseVerdict {
  readonly played: Case;
  readonly unexpected: readonly StepDifference[];
  readonly known: readonly (StepDifference & { readonly reason: string })[];
  readonly outdated: readonly KnownDifference[];
  /** Steps whose known differences are not the ones of our-answers.json: we answer something else than before. */
  readonly changed: readonly ChangedStep[];
}

export interface ChangedStep {
  readonly step: number;
  readonly before: unknown;
  readonly now: unknown;
}

/** What is known of differences, and what we answered there so far. */
export interface Knowledge {
  readonly listed: readonly KnownDifference[];
  readonly ours: OurAnswers;
}

export type Answers = readonly (NormalAnswer | null | undefined)[];

/** Compares our answers to a case with the wanted ones. */
export function judgeCase(
  played: Case,
  answers: { readonly want: Answers; readonly got: Answers },
  { listed, ours }: Knowledge,
): CaseVerdict {
  const unexpected: StepDifference[] = [];
  const known: (StepDifference & { readonly reason: string })[] = [];
  const outdated: KnownDifference[] = [];
  const changed: ChangedStep[] = [];
  for (const [index, { method, path, isSetup }] of played.steps.entries()) {
    if (isSetup) continue;
    const step = index + 1;
    const [want, got] = [answers.want[index], answers.got[index]];
    if (!want || !got) throw new Error(`Cannot compare step ${step} of ${caseId(played)}: it has no answer`);
    const request = `${method} ${path}`;
    const ofStep = listed.filter((entry) => entry.case === caseId(played) && entry.step === step);
    const verdict = judge(compareAnswers(want, got), ofStep);
    unexpected.push(...verdict.unexpected.map((difference) => ({ step, request, difference })));
    known.push(...verdict.known.map(({ difference, reason }) => ({ step, request, difference, reason })));
    outdated.push(...verdict.outdated);
    const now = pinned(verdict.known.map(({ difference }) => difference));
    const before = ours[stepId(played, step)] ?? {};
    if (!isDeepStrictEqual(now, before)) changed.push({ step, before, now });
  }
  return { played, unexpected, known, outdated, changed };
}

/** The key of a step in our-answers.json. */
export function stepId(played: Case, step: number): string {
  return `${caseId(played)} ${step}`;
}

/** The verdict on a case that could not be played to its end. */
export function unplayable(played: Case, problem: unknown): CaseVerdict {
  const got = problem instanceof Error ? problem.message : String(problem);
  const difference = { place: 'playing it', want: 'answers', got };
  return { played, unexpected: [{ step: 0, request: '', difference }], known: [], outdated: [], changed: [] };
}

/** Whether the answers are the same but for what is listed, the list is true, and we answer there as before. */
export function isAsExpected({ unexpected, outdated, changed }: CaseVerdict): boolean {
  return unexpected.length === 0 && outdated.length === 0 && changed.length === 0;
}

/** What is worth showing where even the status differs. */
const TELLING = new Set(['status', 'body.message']);

/** Of one step. */
const MAX_SHOWN = 10;

/** A verdict's problems in words, for a person at a terminal. */
export function describeProblems({ played, unexpected, outdated, changed }: CaseVerdict): string {
  const refused = new Set(unexpected.filter(({ difference }) => difference.place === 'status').map(({ step }) => step));
  const lines = unexpected
    .filter(({ step, difference }) => !refused.has(step) || TELLING.has(difference.place))
    .filter(({ step }, index, all) => index < MAX_SHOWN || all[index - MAX_SHOWN]?.step !== step)
    .flatMap(({ step, request, difference: { place, want, got } }) => [
      `  step ${step}, ${request}: ${place}`,
      `    wanted ${show(want)}`,
      `    got    ${show(got)}`,
    ]);
  const stale = outdated.map(
    ({ step, place }) => `  step ${step}: ${place} is listed as different, and is not any more`,
  );
  const moved = changed.flatMap(({ step, before, now }) => [
    `  step ${step}: our answer has changed where it is known to differ; if that is right, run npm run differential:pin`,
    `    before ${show(before)}`,
    `    now    ${show(now)}`,
  ]);
  return [`${caseId(played)}: ${played.title}`, ...lines, ...stale, ...moved].join('\n');
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
