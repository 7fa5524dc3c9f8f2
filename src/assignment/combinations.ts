/** All subsets of a size, in the order of the list. */
export function* combinations(list: readonly number[], size: number, from = 0): Generator<readonly number[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let index = from; index <= list.length - size; index++)
    for (const rest of combinations(list, size - 1, index + 1)) yield [list[index] as number, ...rest];
}
