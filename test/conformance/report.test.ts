import { expect, test } from 'vitest';
import type { ConformanceTest } from './classes.ts';
import { conformanceReport } from './report.ts';

const tests: readonly ConformanceTest[] = [
  { class: 'A', tags: [], source: 'a.go:1', name: 'a' },
  { class: 'A', tags: [], source: 'b.go:1', name: 'b' },
  { class: 'C', tags: [], source: 'c.go:1', name: 'c `x` | y' },
];

test('the report says so where a pass means little', () => {
  const quiet: ConformanceTest = { class: 'B', tags: ['vacuous-in-A'], source: 'd.go:1', name: 'd' };

  const lines = conformanceReport([quiet], new Map([['d', { state: 'pass' }]])).split('\n');

  expect(lines).toContain('| pass | `d` | shows nothing by itself: passes also where nothing runs |');
});

test('the report has a line a test with its state and what is missing, and sums by class and feature', () => {
  const lines = conformanceReport(
    tests,
    new Map([
      ['a', { state: 'pass' }],
      ['b', { state: 'fail', missing: 'custom resources' }],
    ]),
  ).split('\n');

  expect(lines).toContain('| A | API server alone | 2 | 1 | 1 | 0 |');
  expect(lines).toContain('| C | with running containers | 1 | 0 | 0 | 1 |');
  expect(lines).toContain('| custom resources | 1 |');
  expect(lines).toContain('| pass | `a` |  |');
  expect(lines).toContain('| fail | `b` | custom resources |');
  expect(lines).toContain("| not run | `c 'x' \\| y` |  |");
});
