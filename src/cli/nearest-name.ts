/** The name that was probably meant: the one with the fewest edits, if they are few. */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(text.length / 3));
  let best: { readonly name: string; readonly edits: number } | undefined;
  for (const name of names) {
    const edits = editsBetween(text, name, best?.edits ?? limit + 1);
    if (edits <= limit && (best === undefined || edits < best.edits)) best = { name, edits };
  }
  return best?.name;
}

/** Letters inserted, removed, replaced or swapped; counting stops at `limit`. */
function editsBetween(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) >= limit) return limit;
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: right.length + 1 }, (_, at) => at);
  for (let row = 1; row <= left.length; row++) {
    const next = [row];
    for (let at = 1; at <= right.length; at++) {
      const isSame = left[row - 1] === right[at - 1];
      let edits = Math.min((last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + (isSame ? 0 : 1));
      if (row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1])
        edits = Math.min(edits, (beforeLast[at - 2] ?? 0) + 1);
      next.push(edits);
    }
    [beforeLast, last] = [last, next];
  }
  return last[right.length] ?? limit;
}
