import { expect, test } from 'vitest';
import { interopDocument, reportLine } from './report.ts';
import type { InteropResult } from './results.ts';

const passed: InteropResult = {
  subject: 'client-go informers',
  server: 'keelson',
  version: 'v0.36.3',
  passed: 2,
  steps: ['create', 'list'],
  failures: [],
};
const failed: InteropResult = { ...passed, passed: 1, failures: [{ step: 'list', message: 'two\n  pages' }] };

test('a line says what passed, and what failed and why', () => {
  expect(reportLine(passed)).toBe('client-go informers (v0.36.3) on keelson: passed (2 of 2)');
  expect(reportLine(failed)).toBe('client-go informers (v0.36.3) on keelson: failed (1 of 2); list: two\n  pages');
});

test('the page has a row for each subject, with both servers', () => {
  expect(interopDocument([passed])).toContain('| client-go informers | v0.36.3 | 2 of 2 | not run | create, list |');
  expect(interopDocument([passed, { ...passed, server: 'kube' }])).toContain('| v0.36.3 | 2 of 2 | 2 of 2 |');
});

test('the page lists failures, and has no such part when there are none', () => {
  expect(interopDocument([failed])).toContain('- client-go informers on keelson, list: two pages');
  expect(interopDocument([passed])).not.toContain('What fails');
});
