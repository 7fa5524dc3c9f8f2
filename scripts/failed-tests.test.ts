import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';

interface FailedTests {
  failedTests(report: object, root: string): readonly string[];
}

const script = pathToFileURL(join(import.meta.dirname, 'failed-tests.mjs')).href;
const { failedTests } = (await import(script)) as FailedTests;

const root = '/somewhere/keelson';

describe('lines about failed tests', () => {
  it('name each failed test with the beginning of its message, and say nothing of the others', () => {
    const long = Array.from({ length: 30 }, (_, line) => `line ${line}`).join('\n');
    const assertionResults = [
      { status: 'passed', fullName: 'a pod starts', failureMessages: [] },
      { status: 'failed', fullName: 'a pod stops', failureMessages: [long] },
    ];
    const lines = failedTests(
      { testResults: [{ name: `${root}/src/pod.test.ts`, status: 'failed', message: '', assertionResults }] },
      root,
    );
    expect(lines[0]).toBe('FAILED src/pod.test.ts: a pod stops');
    expect(lines).toContain('FAILED     line 11');
    expect(lines).toHaveLength(13);
  });

  it('name a file that could not be loaded', () => {
    const file = { name: `${root}/src/pod.test.ts`, status: 'failed', message: 'no such module', assertionResults: [] };
    expect(failedTests({ testResults: [file] }, root)).toEqual(['FAILED src/pod.test.ts', 'FAILED     no such module']);
  });
});
