import { expect, test } from 'vitest';
import { count, differences, ginkgoOutcomes, goTestOutcomes } from './test-outcomes.ts';

const spec = (name: string, State: string, LeafNodeType = 'It'): object => ({
  LeafNodeType,
  ContainerHierarchyTexts: LeafNodeType === 'It' ? ['Client', 'Get'] : null,
  LeafNodeText: name,
  State,
});

test('a report of Ginkgo tells how each spec ended, and what failed around them', () => {
  const SpecReports = [spec('finds', 'passed'), spec('fails', 'failed'), spec('', 'passed', 'AfterSuite')];
  const outcomes = ginkgoOutcomes(JSON.stringify([{ SpecReports }, { SpecReports: null }]));

  expect([...outcomes]).toEqual([
    ['Client Get finds', 'passed'],
    ['Client Get fails', 'failed'],
  ]);
  const broken = ginkgoOutcomes(JSON.stringify([{ SpecReports: [spec('', 'failed', 'BeforeSuite')] }]));
  expect([...broken]).toEqual([['BeforeSuite', 'failed']]);
});

test('the output of go test tells of functions and subtests', () => {
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
