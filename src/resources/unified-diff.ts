import { escapedForHtml } from '../api/index.ts';

const CONTEXT = 3;

/** How two values differ, as a unified diff of their indented JSON: the lines that Python's difflib, as ported to Go, finds. */
export function unifiedDiff(before: unknown, after: unknown): string {
  const left = lines(before);
  const right = lines(after);
  return hunks(changesBetween(left, right))
    .flatMap((hunk) => [header(hunk), ...hunk.flatMap((change) => printed(change, left, right))])
    .map((line) => `${line}\n`)
    .join('');
}

function lines(value: unknown): string[] {
  return escapedForHtml(JSON.stringify(value, undefined, 1) ?? 'null').split('\n');
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Lines of the left side that became those of the right, or that are equal. */
interface Change {
  readonly isEqual: boolean;
  readonly left: Range;
  readonly right: Range;
}

interface Match {
  readonly left: number;
  readonly right: number;
  readonly size: number;
}

function changesBetween(left: readonly string[], right: readonly string[]): Change[] {
  const matcher = new Matcher(left, right);
  const matches = matcher.matches({ from: 0, to: left.length }, { from: 0, to: right.length });
  const changes: Change[] = [];
  let at: Match = { left: 0, right: 0, size: 0 };
  for (const match of [...matches, { left: left.length, right: right.length, size: 0 }]) {
    if (at.left < match.left || at.right < match.right) {
      const removed = { from: at.left, to: match.left };
      changes.push({ isEqual: false, left: removed, right: { from: at.right, to: match.right } });
    }
    const end = { left: match.left + match.size, right: match.right + match.size, size: 0 };
    const last = changes.at(-1);
    if (last?.isEqual === true && match.size > 0) {
      const joined = { from: last.left.from, to: end.left };
      changes[changes.length - 1] = { isEqual: true, left: joined, right: { from: last.right.from, to: end.right } };
    } else if (match.size > 0) {
      const equal = { from: match.left, to: end.left };
      changes.push({ isEqual: true, left: equal, right: { from: match.right, to: end.right } });
    }
    at = end;
  }
  return changes;
}

/** From this number of lines on, lines that are in more than one of a hundred places do not begin a match. */
const MANY_LINES = 200;

/** Finds the longest equal run of lines, and then those before and after it. */
class Matcher {
  readonly #left: readonly string[];
  readonly #right: readonly string[];
  readonly #places = new Map<string, number[]>();

  constructor(left: readonly string[], right: readonly string[]) {
    this.#left = left;
    this.#right = right;
    for (const [index, line] of right.entries()) {
      const places = this.#places.get(line);
      if (places === undefined) this.#places.set(line, [index]);
      else places.push(index);
    }
    if (right.length < MANY_LINES) return;
    const most = Math.floor(right.length / 100) + 1;
    for (const [line, places] of this.#places) if (places.length > most) this.#places.delete(line);
  }

  matches(left: Range, right: Range): Match[] {
    const longest = this.#longest(left, right);
    if (longest.size === 0) return [];
    const before = this.matches({ ...left, to: longest.left }, { ...right, to: longest.right });
    const after = this.matches(
      { ...left, from: longest.left + longest.size },
      { ...right, from: longest.right + longest.size },
    );
    return [...before, longest, ...after];
  }

  #longest(left: Range, right: Range): Match {
    let best: Match = { left: left.from, right: right.from, size: 0 };
    let sizes = new Map<number, number>();
    for (let index = left.from; index < left.to; index++) {
      const next = new Map<number, number>();
      for (const place of this.#places.get(this.#left[index] ?? '') ?? []) {
        if (place < right.from) continue;
        if (place >= right.to) break;
        const size = (sizes.get(place - 1) ?? 0) + 1;
        next.set(place, size);
        if (size > best.size) best = { left: index - size + 1, right: place - size + 1, size };
      }
      sizes = next;
    }
    return this.#extended(best, left, right);
  }

  #extended(match: Match, left: Range, right: Range): Match {
    let { left: i, right: j, size } = match;
    while (i > left.from && j > right.from && this.#left[i - 1] === this.#right[j - 1]) {
      i -= 1;
      j -= 1;
      size += 1;
    }
    while (i + size < left.to && j + size < right.to && this.#left[i + size] === this.#right[j + size]) size += 1;
    return { left: i, right: j, size };
  }
}

/** Changes with three lines of context; nearby ones share a hunk. */
function hunks(changes: readonly Change[]): Change[][] {
  const result: Change[][] = [];
  let hunk: Change[] = [];
  for (const [index, change] of changes.entries()) {
    if (!change.isEqual) {
      hunk.push(change);
      continue;
    }
    const isFirst = index === 0;
    const isLast = index === changes.length - 1;
    const length = change.left.to - change.left.from;
    if (!isFirst && !isLast && length <= 2 * CONTEXT) {
      hunk.push(change);
      continue;
    }
    if (!isFirst) {
      hunk.push(part(change, 0, Math.min(CONTEXT, length)));
      result.push(hunk);
    }
    hunk = isLast ? [] : [part(change, Math.max(length - CONTEXT, 0), length)];
  }
  if (hunk.length > 0) result.push(hunk);
  return result;
}

function part({ left, right }: Change, from: number, to: number): Change {
  return {
    isEqual: true,
    left: { from: left.from + from, to: left.from + to },
    right: { from: right.from + from, to: right.from + to },
  };
}

function printed({ isEqual, left, right }: Change, before: readonly string[], after: readonly string[]): string[] {
  const old = before.slice(left.from, left.to);
  if (isEqual) return old.map((line) => ` ${line}`);
  return [...old.map((line) => `-${line}`), ...after.slice(right.from, right.to).map((line) => `+${line}`)];
}

function header(hunk: readonly Change[]): string {
  const whole = (side: 'left' | 'right'): Range => ({
    from: hunk[0]?.[side].from ?? 0,
    to: hunk.at(-1)?.[side].to ?? 0,
  });
  return `@@ -${range(whole('left'))} +${range(whole('right'))} @@`;
}

function range({ from, to }: Range): string {
  const count = to - from;
  if (count === 1) return String(from + 1);
  return count === 0 ? `${from},0` : `${from + 1},${count}`;
}
