import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

interface SkippedTests {
  skippedTests(report: unknown, root: string): readonly string[];
}

const file = pathToFileURL(join(import.meta.dirname, 'skipped-tests.mjs')).href;
const { skippedTests } = (await import(file)) as SkippedTests;

function result(status: string, titles: readonly string[], skipReason?: string): object {
  return { status, ancestorTitles: titles.slice(0, -1), title: titles.at(-1), meta: { skipReason } };
}

test('skipped tests are counted by reason, and their suites are named', () => {
  const report = {
    testResults: [
      {
        name: '/here/a.test.ts',
        assertionResults: [
          result('passed', ['works']),
          result('skipped', ['is forgotten']),
          result('skipped', ['curl gets an answer'], 'curl not found'),
        ],
      },
      {
        name: '/here/b.test.ts',
        assertionResults: [
          result('skipped', ['etcd', 'writes'], 'etcd not found'),
          result('skipped', ['etcd', 'reads', 'back'], 'etcd not found'),
        ],
      },
    ],
  };

  expect(skippedTests(report, '/here')).toEqual([
    '4 skipped: etcd not found (2), no reason given (1), curl not found (1)',
    '  etcd not found: b.test.ts: etcd (2)',
    '  no reason given: a.test.ts: is forgotten (1)',
    '  curl not found: a.test.ts: curl gets an answer (1)',
  ]);
});

test('nothing is said when no test was skipped', () => {
  const report = { testResults: [{ name: '/here/a.test.ts', assertionResults: [result('passed', ['works'])] }] };

  expect(skippedTests(report, '/here')).toEqual([]);
});
