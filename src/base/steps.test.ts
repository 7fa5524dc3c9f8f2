import { expect, test } from 'vitest';
import { allAtOnce, type Steps, withPauses } from './steps.ts';

function* work(seen: string[]): Steps<string> {
  seen.push('first');
  yield;
  seen.push('second');
  return 'done';
}

test('all steps are done at once, or with a pause between any two', async () => {
  const seen: string[] = [];

  expect(allAtOnce(work(seen))).toBe('done');
  expect(await withPauses(work(seen), undefined)).toBe('done');
  expect(await withPauses(work(seen), async () => void seen.push('pause'))).toBe('done');
  expect(seen).toEqual(['first', 'second', 'first', 'second', 'first', 'pause', 'second']);
});

test('an error of a step is thrown, and the remaining steps are not run', async () => {
  function* failing(): Steps<void> {
    yield;
    throw new Error('no');
  }

  expect(() => allAtOnce(failing())).toThrow('no');
  await expect(withPauses(failing(), () => Promise.resolve())).rejects.toThrow('no');
});
