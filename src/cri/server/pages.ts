/** Items in one message of a streamed list. */
const PAGE = 500;

/** A list in pieces, each small enough for one message. */
export function* pagesOf<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < items.length; from += PAGE) yield items.slice(from, from + PAGE);
}
