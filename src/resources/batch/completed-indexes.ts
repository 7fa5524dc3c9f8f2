import { quoteGo } from '../../api/index.ts';
/** How many indexes a text such as `0-2,5` names; a text says what is wrong with it. */
export function countIndexes(text: string, completions: number): number | string {
  if (text === '') return 0;
  let last: number | undefined;
  let total = 0;
  for (const interval of text.split(',')) {
    const limits = readInterval(interval, completions);
    if (typeof limits === 'string') return limits;
    const [from, to] = limits;
    if (last !== undefined && last >= from) return `non-increasing order, previous: ${last}, current: ${from}`;
    total += to - from + 1;
    last = to;
  }
  return total;
}

function readInterval(text: string, completions: number): readonly [from: number, to: number] | string {
  const parts = text.split('-');
  if (parts.length > 2) {
    const rule = "that an index interval can have at most two parts separated by '-'";
    return `the fragment ${quoteGo(text)} violates the requirement ${rule}`;
  }
  const numbers: number[] = [];
  for (const part of parts) {
    if (!/^[+-]?\d+$/.test(part) || !Number.isSafeInteger(Number(part))) {
      return `cannot convert string to integer for index: ${quoteGo(part)}`;
    }
    if (Number(part) >= completions) return `too large index: ${quoteGo(part)}`;
    numbers.push(Number(part));
  }
  const [from = 0, to = from] = numbers;
  if (parts.length > 1 && from >= to) return `non-increasing order, previous: ${from}, current: ${to}`;
  return [from, to];
}

/** What is wrong with two lists of indexes that should have none in common; intervals that cannot be read are left to `countIndexes`. */
export function overlapProblem(completed: string, failed: string, completions: number): string | undefined {
  if (completed === '' || failed === '') return undefined;
  const left = readable(completed, completions);
  const right = readable(failed, completions);
  for (let at = 0, other = 0; ;) {
    const done = left[at];
    const lost = right[other];
    if (done === undefined || lost === undefined) return undefined;
    if (done[0] <= lost[1] && lost[0] <= done[1]) {
      return `failedIndexes and completedIndexes overlap at index: ${Math.max(done[0], lost[0])}`;
    }
    if (done[0] <= lost[0]) at += 1;
    else other += 1;
  }
}

function readable(text: string, completions: number): readonly (readonly [from: number, to: number])[] {
  return text.split(',').flatMap((interval) => {
    const limits = readInterval(interval, completions);
    return typeof limits === 'string' ? [] : [limits];
  });
}
