import { describe, expect, test } from 'vitest';
import { readOutcomes, readSuiteFailure } from './outcomes.ts';

function spec(leaf: string, state: string, failure?: object): object {
  return {
    ContainerHierarchyTexts: ['[sig-x] Things', 'when small'],
    LeafNodeText: leaf,
    LeafNodeType: 'It',
    State: state,
    RunTime: 1_500_000_000,
    Failure: failure,
  };
}

function report(...specs: readonly object[]): string {
  return JSON.stringify([{ SuiteDescription: 'Kubernetes e2e suite', SpecReports: specs }]);
}

const name = (leaf: string): string => `[sig-x] Things when small ${leaf}`;

describe('readOutcomes()', () => {
  test('reports passes with their seconds, and failures with message and place', () => {
    const failure = {
      Message: 'expected 1, got 2',
      Location: { FileName: '/somewhere/test/e2e/apps/thing.go', LineNumber: 42 },
    };
    const outcomes = readOutcomes(report(spec('work', 'passed'), spec('stay', 'failed', failure)), [
      name('work'),
      name('stay'),
    ]);

    expect(outcomes).toEqual([
      { name: name('work'), state: 'pass', seconds: 1.5 },
      { name: name('stay'), state: 'fail', seconds: 1.5, message: 'expected 1, got 2', location: 'apps/thing.go:42' },
    ]);
  });

  test('counts a test that was skipped, or that the suite does not have, as failed', () => {
    const skipped = report(spec('work', 'skipped', { Message: 'needs two nodes' }));
    const [first, second] = readOutcomes(skipped, [name('work'), name('vanish')]);

    expect(first).toMatchObject({ state: 'fail', message: 'skipped: needs two nodes' });
    expect(second).toMatchObject({ state: 'fail', message: 'the suite has no such test' });
  });

  test('leaves out tests that were not requested', () => {
    expect(readOutcomes(report(spec('work', 'skipped')), [])).toEqual([]);
  });
});

describe('readSuiteFailure()', () => {
  test('reports what failed before the tests', () => {
    const setup = { LeafNodeType: 'SynchronizedBeforeSuite', State: 'failed', Failure: { Message: 'no cluster' } };

    expect(readSuiteFailure(report(setup))).toBe('SynchronizedBeforeSuite: no cluster');
    expect(readSuiteFailure(report(spec('work', 'failed')))).toBeUndefined();
  });
});
