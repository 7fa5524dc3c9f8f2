import { expect, test } from 'vitest';
import { type InteropResult, mergeResults, parseResults, printResults, resultOf } from './results.ts';

const outcomes = [
  { step: 'create', passed: true },
  { step: 'list', passed: false, message: 'two pages' },
] as const;
const result = resultOf('b', 'keelson', { version: '1.0', outcomes });

test('a result counts what passed and keeps what failed', () => {
  expect(result).toEqual({
    subject: 'b',
    server: 'keelson',
    version: '1.0',
    passed: 1,
    steps: ['create', 'list'],
    failures: [{ step: 'list', message: 'two pages' }],
  });
});

test('a run takes the place of older results of the same subject and server, and of no others', () => {
  const other: InteropResult = { ...result, subject: 'a', server: 'kube' };
  const onKube: InteropResult = { ...result, server: 'kube' };
  const gone: InteropResult = { ...result, subject: 'gone' };
  const fresh: InteropResult = { ...result, version: '1.1' };
  expect(mergeResults([onKube, result, gone, other], [fresh], ['a', 'b'])).toEqual([other, fresh, onKube]);
});

test('results are read as they were written', () => {
  expect(parseResults(printResults([result]))).toEqual([result]);
});
