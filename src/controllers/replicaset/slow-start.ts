export interface SlowStartResult {
  readonly successes: number;
  /** The first failure of the last batch. */
  readonly failure: unknown;
}

/**
 * Calls `attempt` with 0 to `count - 1`, in concurrent batches of 1, 2, 4 and so on.
 *
 * A batch with a failure is the last: what fails for one mostly fails for all, and many failures would only be noise.
 */
export async function slowStart(
  count: number,
  attempt: (index: number) => Promise<void>,
  { maxBatch = Infinity }: { readonly maxBatch?: number } = {},
): Promise<SlowStartResult> {
  let successes = 0;
  for (let size = Math.min(count, 1); size > 0; size = Math.min(2 * size, count - successes, maxBatch)) {
    const begun = successes;
    const results = await Promise.allSettled(Array.from({ length: size }, (_, index) => attempt(begun + index)));
    const failed = results.filter((result) => result.status === 'rejected');
    successes += size - failed.length;
    if (failed[0] !== undefined) return { successes, failure: failed[0].reason };
  }
  return { successes, failure: undefined };
}
