import { expect, test } from 'vitest';
import { differing, page } from './page.ts';
import type { PackageRun } from './run-package.ts';
import { count, differences, ginkgoOutcomes, goTestOutcomes, wasStopped } from './test-outcomes.ts';

const spec = (name: string, State: string, LeafNodeType = 'It'): object => ({
  LeafNodeType,
  ContainerHierarchyTexts: LeafNodeType === 'It' ? ['Client', 'Get'] : null,
  LeafNodeText: name,
  State,
});

test('a report of Ginkgo shows how each spec ended, and what failed around them', () => {
  const SpecReports = [spec('finds', 'passed'), spec('fails', 'failed'), spec('', 'passed', 'AfterSuite')];
  const outcomes = ginkgoOutcomes(JSON.stringify([{ SpecReports }, { SpecReports: null }]));

  expect([...outcomes]).toEqual([
    ['Client Get finds', 'passed'],
    ['Client Get fails', 'failed'],
  ]);
  const broken = ginkgoOutcomes(JSON.stringify([{ SpecReports: [spec('', 'failed', 'BeforeSuite')] }]));
  expect([...broken]).toEqual([['BeforeSuite', 'failed']]);
});

test('the output of go test lists functions and subtests', () => {
  const text = '=== RUN   TestA\n    --- PASS: TestA/one (0.1s)\n--- FAIL: TestA (0.2s)\n--- SKIP: TestB (0.00s)\n';
  const outcomes = goTestOutcomes(text);

  expect(Object.fromEntries(outcomes)).toEqual({ 'TestA/one': 'passed', TestA: 'failed', TestB: 'skipped' });
  expect(count(outcomes, 'passed')).toBe(1);
});

test('what ended differently is named', () => {
  const [ours, real] = [
    new Map([
      ['a', 'passed'],
      ['b', 'failed'],
    ]),
    new Map([
      ['a', 'passed'],
      ['b', 'passed'],
      ['c', 'passed'],
    ]),
  ];

  expect(differences(ours, real)).toEqual([
    'b: failed on Keelson, passed on Kubernetes',
    'c: not run on Keelson, passed on Kubernetes',
  ]);
});

test('of a suite that was stopped, only what came to an end in both runs is compared', () => {
  const run = (states: Readonly<Record<string, string>>, isStopped: boolean): PackageRun => ({
    outcomes: new Map(Object.entries(states)),
    seconds: 1,
    isStopped,
  });
  const ours = run({ a: 'passed', b: 'failed', c: 'interrupted', d: 'skipped' }, true);
  const real = run({ a: 'passed', b: 'passed', c: 'passed', d: 'passed' }, false);

  expect(differing({ ours, real })).toEqual(['b: failed on Keelson, passed on Kubernetes']);
  expect(differing({ ours: { ...ours, isStopped: false }, real })).toHaveLength(3);
  const reasons = (words: readonly string[] | null): string => JSON.stringify([{ SpecialSuiteFailureReasons: words }]);
  expect([reasons(['Suite Timeout Elapsed']), reasons(null), '[]'].map(wasStopped)).toEqual([true, false, false]);
  const starts = { real: [2], alone: [1], shared: [1] };
  const text = page([{ suite: 's', path: 'p', ours, real }], { starts, withControllers: real }, '2 cores');
  expect(text).toContain('s, p was stopped after 25 minutes: 2 tests had ended with Keelson and 4 with Kubernetes.');
});
