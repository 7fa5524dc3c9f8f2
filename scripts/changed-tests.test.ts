import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

interface ChangedTests {
  related(changed: readonly string[], tests: readonly string[]): readonly string[] | 'all';
}

const file = pathToFileURL(join(import.meta.dirname, 'changed-tests.mjs')).href;
const { related } = (await import(file)) as ChangedTests;

const TESTS = ['src/a/a.test.ts', 'test/cases/replay.test.ts', 'test/cases/pins.test.ts', 'test/other.test.ts'];

test.each<[string, readonly string[], readonly string[] | 'all']>([
  ['modules stand for themselves', ['src/a/a.ts', 'scripts/build.mjs'], ['scripts/build.mjs', 'src/a/a.ts']],
  [
    'data stands for the tests of the nearest folder above it',
    ['test/cases/deep/down/answer.json', 'test/data.yaml'],
    ['test/cases/pins.test.ts', 'test/cases/replay.test.ts', 'test/other.test.ts'],
  ],
  [
    'definitions stand for the table that they are compiled into',
    ['src/api/x/core.api'],
    ['src/api/generated/table.ts'],
  ],
  ['documents are for the docs check', ['README.md', 'docs/a.md'], []],
  ['what concerns all runs all', ['src/a/a.ts', 'package-lock.json'], 'all'],
])('%s', (_name, changed, expected) => {
  expect(related(changed, TESTS)).toEqual(expected);
});
