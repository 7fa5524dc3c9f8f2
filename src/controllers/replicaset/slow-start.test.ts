import { expect, test } from 'vitest';
import { slowStart } from './slow-start.ts';

/** Runs attempts of which those in `failing` fail; returns the sizes of the batches. */
async function run(count: number, failing: readonly number[] = []): Promise<{ batches: number[]; successes: number }> {
  const batches: number[] = [];
  let calls = 0;
  let together = 0;
  const { successes } = await slowStart(count, async () => {
    const call = calls++;
    together++;
    await Promise.resolve();
    if (together > 0) batches.push(together);
    together = 0;
    if (failing.includes(call)) throw new Error(`attempt ${call}`);
  });
  return { batches, successes };
}

test('attempts are made in batches that double', async () => {
  expect(await run(10)).toEqual({ batches: [1, 2, 4, 3], successes: 10 });
});

test('nothing is attempted for a count of zero', async () => {
  expect(await run(0)).toEqual({ batches: [], successes: 0 });
});

test('a batch with a failure is the last', async () => {
  expect(await run(10, [1])).toEqual({ batches: [1, 2], successes: 2 });
});

test('the first failure of the batch is returned', async () => {
  const { failure } = await slowStart(5, () => Promise.reject(new Error('quota')));
  expect(failure).toEqual(new Error('quota'));
});
