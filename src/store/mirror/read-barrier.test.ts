import { expect, test } from 'vitest';
import { ReadBarrier } from './read-barrier.ts';

/** Questions that are answered when the test decides. */
class Questions {
  readonly asked: { readonly answer: (value: number) => void; readonly refuse: (error: Error) => void }[] = [];

  readonly ask = (): Promise<number> =>
    new Promise((resolve, reject) => void this.asked.push({ answer: resolve, refuse: reject }));
}

test('concurrent calls share a question; calls while it is in flight share the next', async () => {
  const questions = new Questions();
  const barrier = new ReadBarrier(questions.ask);
  const first = [barrier.pass(), barrier.pass(), barrier.pass()];
  await settled();
  const second = [barrier.pass(), barrier.pass()];
  await settled();
  expect(questions.asked).toHaveLength(1);

  questions.asked[0]?.answer(1);
  expect(await Promise.all(first)).toEqual([1, 1, 1]);
  await settled();
  expect(questions.asked).toHaveLength(2);
  questions.asked[1]?.answer(2);

  expect(await Promise.all(second)).toEqual([2, 2]);
});

test('a question that fails does so for its callers, not for the next ones', async () => {
  const questions = new Questions();
  const barrier = new ReadBarrier(questions.ask);
  const first = barrier.pass();
  await settled();
  const second = barrier.pass();

  questions.asked[0]?.refuse(new Error('away'));

  await expect(first).rejects.toThrow('away');
  await settled();
  questions.asked[1]?.answer(2);
  expect(await second).toBe(2);
});

function settled(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
