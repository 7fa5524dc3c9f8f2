import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { focusOf, parseClasses, selectTests } from './classes.ts';
import { parseExpectations, UNNAMED } from './expectations.ts';
import { conformanceReport } from './report.ts';

const read = (name: string): string => readFileSync(join(import.meta.dirname, name), 'utf8');
const tests = parseClasses(read('classes.tsv'));
const expectations = parseExpectations(read('expectations.tsv'));

describe('classes.tsv', () => {
  test('has each of the 446 conformance tests once', () => {
    expect(tests).toHaveLength(446);
    expect(new Set(tests.map(({ name }) => name)).size).toBe(446);
    expect(tests.every(({ name }) => name.endsWith('[Conformance]'))).toBe(true);
  });

  test('has 105 tests that need the API server alone, and 46 that need controllers', () => {
    expect(selectTests(tests, { classes: ['A'] })).toHaveLength(105);
    expect(selectTests(tests, { classes: ['B'] })).toHaveLength(46);
  });

  test('a line of an unknown class is reported with its number', () => {
    expect(() => parseClasses('class\ttags\tsource\tname\nZ\t\tx.go:1\ta test')).toThrow(
      'Cannot read line 2 of the classes: "Z\t\tx.go:1\ta test"',
    );
  });
});

describe('selectTests()', () => {
  test('takes the classes asked for, and of those only what the focus matches', () => {
    const selected = selectTests(tests, { classes: ['A', 'B'], focus: /Watchers|EndpointSliceMirroring/ });

    expect(selected.map(({ class: letter }) => letter).sort()).toEqual(['A', 'A', 'A', 'A', 'A', 'B']);
  });

  test('takes a sample from the whole of the class', () => {
    const selected = selectTests(tests, { classes: ['C'], sample: 31 });

    expect(new Set(selected).size).toBe(31);
    expect(new Set(selected.map(({ name }) => name.split(' ')[0])).size).toBeGreaterThan(5);
  });
});

describe('focusOf()', () => {
  test('matches its tests and no others, whatever signs their names have', () => {
    const some = tests.filter((_, index) => index % 7 === 0);
    const pattern = new RegExp(focusOf(some));

    expect(tests.filter(({ name }) => pattern.test(`Kubernetes e2e suite ${name}`))).toEqual(some);
  });
});

describe('expectations.tsv', () => {
  test('speaks of known tests only', () => {
    const names = new Set(tests.map(({ name }) => name));
    expect([...expectations.keys()].filter((name) => !names.has(name))).toEqual([]);
  });

  test('names what is missing for every test that fails', () => {
    const unnamed = [...expectations].filter(([, entry]) => entry.state === 'fail' && entry.missing === UNNAMED);
    expect(unnamed.map(([name]) => name)).toEqual([]);
  });

  test('agrees with docs/reference/conformance.md', () => {
    expect(read('../../docs/reference/conformance.md')).toBe(conformanceReport(tests, expectations));
  });
});
