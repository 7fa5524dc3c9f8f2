/** Works on all items, at most `limit` of them at a time. Once all have been worked on, throws the first error. */
export async function inParallel<T>(
  items: Iterable<T>,
  work: (item: T) => Promise<void>,
  { limit }: { readonly limit: number },
): Promise<void> {
  const failures: unknown[] = [];
  const rest = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = rest.next(); next.done !== true; next = rest.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (failures.length > 0) throw failures[0];
}
