/**
 * What a function makes of each thing that an iterable yields, one at a time. Leaving it leaves the source.
 *
 * Costs a fraction of a generator that does the same: there may be thousands of readers of one source.
 */
export function mapped<From, To>(
  source: AsyncIterable<From>,
  map: (item: From) => To | Promise<To>,
): AsyncIterableIterator<To, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const over = { value: undefined, done: true } as const;
  return {
    async next() {
      const step = await iterator.next();
      if (step.done === true) return over;
      try {
        const made = map(step.value);
        return { value: made instanceof Promise ? await made : made, done: false };
      } catch (error) {
        await iterator.return?.();
        throw error;
      }
    },
    async return() {
      await iterator.return?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
