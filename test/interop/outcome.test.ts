import { expect, test } from 'vitest';
import { parseReport, runSteps } from './outcome.ts';

test('the report is the last line of what a program prints', () => {
  const line =
    '{"client":"c","version":"1.2","outcomes":[{"step":"a","passed":true},{"step":"b","passed":false,"message":"no"}]}';
  expect(parseReport(`some words\n${line}\n`)).toEqual({
    version: '1.2',
    outcomes: [
      { step: 'a', passed: true },
      { step: 'b', passed: false, message: 'no' },
    ],
  });
});

test.each([
  ['', 'The last line is no report'],
  ['panic: no', 'The last line is no report'],
  ['null', 'The report has no version'],
  ['{"version":"1","outcomes":[]}', 'The report has no version or no outcomes'],
  ['{"version":"1","outcomes":[{"step":"a"}]}', 'An outcome has a step and passed or not'],
])('"%s" is no report', (output, message) => {
  expect(() => parseReport(output)).toThrow(message);
});

test('steps after a failed one are run all the same', async () => {
  const steps = {
    bad: () => Promise.reject(new Error('it is so')),
    good: () => Promise.resolve(),
  };
  expect(await runSteps(steps, 1000)).toEqual([
    { step: 'bad', passed: false, message: 'Error: it is so' },
    { step: 'good', passed: true },
  ]);
});
