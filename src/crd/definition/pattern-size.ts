/** A character, an escape, a class, a bracket or a count of a regular expression. */
const TOKEN = /\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])+\]?|\{(\d+)(?:,(\d*))?\}|[\s\S]/g;

/** RE2's max repeat count. */
const MAX_REPEATS = 1000;

/**
 * Approximate number of steps in the program of a regular expression: a repeated part counts as often as it may occur.
 */
export function patternSize(pattern: string): number {
  const around: number[] = [];
  let size = 0;
  let last = 0;
  for (const [token, from, to] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      around.push(size + last);
      size = 0;
      last = 0;
    } else if (token === ')') {
      const group = size + last;
      size = around.pop() ?? 0;
      last = group + 1;
    } else if (from !== undefined) {
      last *= Math.min(Math.max(Number(from), Number(to ?? 0), 1), MAX_REPEATS);
    } else {
      size += last;
      last = 1;
    }
  }
  const steps = around.reduce((sum, outer) => sum + outer, size + last);
  return Math.min(steps, pattern.length * MAX_REPEATS); // RE2 refuses higher repeat counts anyway
}
