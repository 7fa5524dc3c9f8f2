import { describe, expect, test } from 'vitest';
import {
  compareToExpectations,
  type Expectation,
  hasSurprises,
  parseExpectations,
  printExpectations,
  updateExpectations,
} from './expectations.ts';
import type { Outcome } from './outcomes.ts';

const FILE = 'state\tmissing\tname\npass\t\ta [Conformance]\nfail\tcustom resources\tb [Conformance]\n';
const known = new Map<string, Expectation>([
  ['a', { state: 'pass' }],
  ['b', { state: 'fail', missing: 'custom resources' }],
]);

function outcome(name: string, state: Outcome['state']): Outcome {
  return { name, state, seconds: 1 };
}

describe('parseExpectations()', () => {
  test('reads what printExpectations() writes', () => {
    const expectations = parseExpectations(FILE);

    expect(expectations.get('b [Conformance]')).toEqual({ state: 'fail', missing: 'custom resources' });
    expect(printExpectations(expectations)).toBe(FILE);
  });

  test('refuses a failure without a reason, a pass with one, an unknown state and a test named twice', () => {
    const refuse = (line: string): unknown => expect(() => parseExpectations(`header\n${line}`)).toThrow(/line \d/i);
    refuse('fail\t\ta');
    refuse('pass\tsomething\ta');
    refuse('perhaps\t\ta');
    refuse('pass\t\ta\npass\t\ta');
  });
});

describe('compareToExpectations()', () => {
  test('is content when every test did what the file says', () => {
    const surprises = compareToExpectations([outcome('a', 'pass'), outcome('b', 'fail')], known);

    expect(hasSurprises(surprises)).toBe(false);
  });

  test('reports passes, failures and tests that the file does not have', () => {
    const surprises = compareToExpectations([outcome('a', 'fail'), outcome('b', 'pass'), outcome('c', 'pass')], known);

    expect(surprises.newFailures.map(({ name }) => name)).toEqual(['a']);
    expect(surprises.newPasses.map(({ name }) => name)).toEqual(['b']);
    expect(surprises.strangers.map(({ name }) => name)).toEqual(['c']);
    expect(hasSurprises(surprises)).toBe(true);
  });

  test('says nothing about tests that were not run', () => {
    expect(hasSurprises(compareToExpectations([outcome('a', 'pass')], known))).toBe(false);
  });
});

describe('updateExpectations()', () => {
  test('keeps the names of missing features and what was not run, in the order of the classes', () => {
    const updated = updateExpectations(known, [outcome('c', 'fail'), outcome('b', 'fail')], { names: ['c', 'b', 'a'] });

    expect([...updated]).toEqual([
      ['c', { state: 'fail', missing: '?' }],
      ['b', { state: 'fail', missing: 'custom resources' }],
      ['a', { state: 'pass' }],
    ]);
  });

  test('forgets what was missing once a test passes, and tests that are no more', () => {
    const updated = updateExpectations(known, [outcome('b', 'pass')], { names: ['b'] });

    expect([...updated]).toEqual([['b', { state: 'pass' }]]);
  });
});
