import { expect, test } from 'vitest';
import { RealClock, VirtualClock } from '../base/index.ts';
import { caseText, reportJson, reportJunit, summaryText } from './reports.ts';
import { isConforming, runSuite, type SuiteReport } from './run-suite.ts';
import { Breach, type ConformCase, type ConformSuite, type ConformWorld, expectThat } from './suite.ts';

class TestWorld implements ConformWorld {
  readonly log: string[] = [];

  async tidy(): Promise<void> {
    this.log.push('tidied');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.log.push('disposed');
  }
}

type Case = Partial<ConformCase<TestWorld>> & Pick<ConformCase<TestWorld>, 'name' | 'run'>;

function suiteOf(world: TestWorld, ...cases: readonly Case[]): ConformSuite<TestWorld> {
  const filled = cases.map((each) => ({
    title: `${each.name} holds`,
    rule: 'It is so.',
    source: 'Rules, section 1',
    level: 'must' as const,
    ...each,
  }));
  return { kind: 'test', title: 'Rules 1.0', cases: filled, open: () => Promise.resolve(world) };
}

const shared = {
  subject: 'thing --now',
  clock: new RealClock(),
  signal: new AbortController().signal,
  limitMs: 60_000,
};

const mixed = [
  { name: 'good', run: () => Promise.resolve() },
  { name: 'bad', run: () => Promise.reject(new Breach('it said "<no>"\nand stopped')) },
  { name: 'advice', level: 'should' as const, run: async () => expectThat([].length > 2, 'one is not more than two') },
  { name: 'other', skip: () => 'not for things', run: () => Promise.reject(new Error('never run')) },
];

test('cases run in order, each is tidied up, and the world is disposed of', async () => {
  const world = new TestWorld();
  const seen: string[] = [];
  const report = await runSuite(suiteOf(world, ...mixed), { ...shared, onCase: ({ name }) => seen.push(name) });

  expect(seen).toEqual(['good', 'bad', 'advice', 'other']);
  expect(report.cases.map(({ outcome }) => outcome)).toEqual([
    { type: 'passed' },
    { type: 'failed', message: 'it said "<no>"\nand stopped' },
    { type: 'failed', message: 'one is not more than two' },
    { type: 'skipped', message: 'not for things' },
  ]);
  expect(world.log).toEqual(['tidied', 'tidied', 'tidied', 'tidied', 'disposed']); // asking whether to skip may leave something, too
  expect(isConforming(report)).toBe(false);
});

test('rules that should be kept count in a strict run only, and cases can be chosen', async () => {
  const run = (name: string): Promise<SuiteReport> =>
    runSuite(suiteOf(new TestWorld(), ...mixed), { ...shared, isWanted: (each) => each === name });
  const report = await run('advice');
  expect([isConforming(report), isConforming(report, { isStrict: true })]).toEqual([true, false]);
  expect(isConforming(await run('good'), { isStrict: true })).toBe(true);
});

test('a case that takes too long fails, and the next one runs', async () => {
  const clock = new VirtualClock();
  const hanging: Case = {
    name: 'hanging',
    run: (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
      }),
  };
  const running = runSuite(suiteOf(new TestWorld(), hanging, mixed[0] as Case), { ...shared, clock, limitMs: 5000 });
  while (clock.pending === 0) await new Promise((resolve) => void setImmediate(resolve));
  await clock.advance(5000);
  const { cases } = await running;
  expect(cases.map(({ outcome }) => outcome)).toEqual([
    { type: 'failed', message: 'it took longer than 5000 ms' },
    { type: 'passed' },
  ]);
});

test('a report is text, JSON and JUnit', async () => {
  const clock = new VirtualClock();
  const report = await runSuite(suiteOf(new TestWorld(), ...mixed), { ...shared, clock });

  expect(report.cases.map(caseText).join('\n')).toBe(`ok    good: good holds
FAIL  bad: bad holds
        it said "<no>"
        and stopped
        Rules, section 1: It is so.
WARN  advice: advice holds
        one is not more than two
        Rules, section 1: It is so.
skip  other: other holds (not for things)`);
  expect(summaryText(report)).toBe('Rules 1.0: 1 passed, 1 failed, 1 warned, 1 skipped');
  expect(JSON.parse(reportJson(report))).toMatchObject({
    kind: 'test',
    subject: 'thing --now',
    startedAt: '2026-01-01T00:00:00.000Z',
    counts: { passed: 1, failed: 1, warned: 1, skipped: 1 },
    cases: [{ name: 'good' }, { name: 'bad', rule: 'It is so.', outcome: { type: 'failed' } }, {}, {}],
  });
  expect(reportJunit(report)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="Rules 1.0: thing --now" tests="4" failures="2" errors="0" skipped="1" timestamp="2026-01-01T00:00:00.000Z" time="0.000">
    <testcase classname="keelson.conform.test" name="good: good holds" time="0.000"/>
    <testcase classname="keelson.conform.test" name="bad: bad holds" time="0.000">
      <failure type="must" message="it said &quot;&lt;no&gt;&quot;">it said "&lt;no&gt;"
and stopped
Rules, section 1: It is so.</failure>
    </testcase>
    <testcase classname="keelson.conform.test" name="advice: advice holds" time="0.000">
      <failure type="should" message="one is not more than two">one is not more than two
Rules, section 1: It is so.</failure>
    </testcase>
    <testcase classname="keelson.conform.test" name="other: other holds" time="0.000">
      <skipped message="not for things"/>
    </testcase>
  </testsuite>
</testsuites>
`);
});
