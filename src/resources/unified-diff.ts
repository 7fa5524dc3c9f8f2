const CONTEXT = 3;

/** How two values differ, as a unified diff of their indented JSON. */
export function unifiedDiff(before: unknown, after: unknown): string {
  const left = lines(before);
  const right = lines(after);
  const edits = editsBetween(left, right);
  return hunks(edits)
    .map((hunk) => [header(hunk), ...hunk.map(({ sign, text }) => `${sign}${text}`)].join('\n'))
    .map((text) => `${text}\n`)
    .join('');
}

function lines(value: unknown): string[] {
  return (JSON.stringify(value, undefined, 1) ?? 'null').split('\n');
}

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly text: string;
  /** The number of lines of each side before this one. */
  readonly before: number;
  readonly after: number;
}

/** Equal lines at both ends are skipped, so that the table in between stays small. */
function editsBetween(left: readonly string[], right: readonly string[]): Edit[] {
  let start = 0;
  while (start < left.length && start < right.length && left[start] === right[start]) start++;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const signs: [' ' | '-' | '+', string][] = [
    ...left.slice(0, start).map((text): [' ', string] => [' ', text]),
    ...changed(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...left.slice(left.length - end).map((text): [' ', string] => [' ', text]),
  ];
  let before = 0;
  let after = 0;
  return signs.map(([sign, text]) => {
    const edit = { sign, text, before, after };
    if (sign !== '+') before += 1;
    if (sign !== '-') after += 1;
    return edit;
  });
}

/** Enough for a thousand lines that changed into a thousand others. */
const MAX_CELLS = 1_000_000;

/** The longest common subsequence, by the usual table; if that would be too large, all lines count as changed. */
function changed(left: readonly string[], right: readonly string[]): [' ' | '-' | '+', string][] {
  if ((left.length + 1) * (right.length + 1) > MAX_CELLS) {
    return [...left.map((text): ['-', string] => ['-', text]), ...right.map((text): ['+', string] => ['+', text])];
  }
  const width = right.length + 1;
  const longest = new Uint32Array((left.length + 1) * width);
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        left[i] === right[j]
          ? (longest[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
    }
  }
  const result: [' ' | '-' | '+', string][] = [];
  let i = 0;
  let j = 0;
  while (i < left.length || j < right.length) {
    if (i < left.length && j < right.length && left[i] === right[j]) {
      result.push([' ', left[i] ?? '']);
      i += 1;
      j += 1;
    } else if (
      j >= right.length ||
      (i < left.length && (longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0))
    ) {
      result.push(['-', left[i] ?? '']);
      i += 1;
    } else {
      result.push(['+', right[j] ?? '']);
      j += 1;
    }
  }
  return result;
}

/** Changes with three lines of context; nearby ones share a hunk. */
function hunks(edits: readonly Edit[]): Edit[][] {
  const result: Edit[][] = [];
  let last = -1;
  for (const [index, { sign }] of edits.entries()) {
    if (sign === ' ') continue;
    const from = Math.max(index - CONTEXT, last + 1, 0);
    const to = Math.min(index + CONTEXT, edits.length - 1);
    const current = result.at(-1);
    if (current !== undefined && from <= last + 1) {
      for (let next = last + 1; next <= to; next++) current.push(edits[next] as Edit);
    } else result.push(edits.slice(from, to + 1));
    last = Math.max(last, to);
  }
  return result;
}

function header(hunk: readonly Edit[]): string {
  const removed = hunk.filter(({ sign }) => sign !== '+').length;
  const added = hunk.filter(({ sign }) => sign !== '-').length;
  const [first] = hunk;
  return `@@ -${range(first?.before ?? 0, removed)} +${range(first?.after ?? 0, added)} @@`;
}

function range(before: number, count: number): string {
  if (count === 1) return String(before + 1);
  return count === 0 ? `${before},0` : `${before + 1},${count}`;
}
