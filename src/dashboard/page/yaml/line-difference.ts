export interface DifferenceLine {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
  /** Line numbers before and after, from 1. */
  readonly before?: number;
  readonly after?: number;
}

/** Beyond this many different lines the middle is shown as removed and added whole: the search is quadratic in them. */
const MAX_DIFFERENCES = 400;

/** The shortest way from one text to another in lines that are removed and added (Myers, 1986). */
export function differenceOf(before: readonly string[], after: readonly string[]): DifferenceLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (
    end < before.length - start &&
    end < after.length - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end++;
  const left = before.slice(start, before.length - end);
  const right = after.slice(start, after.length - end);
  const marks = [
    ...before.slice(0, start).map((): Mark => '='),
    ...marksOf(left, right),
    ...before.slice(before.length - end).map((): Mark => '='),
  ];
  return withTexts(marks, before, after);
}

type Mark = '=' | '-' | '+';

function marksOf(left: readonly string[], right: readonly string[]): Mark[] {
  const wholesale = (): Mark[] => [...left.map((): Mark => '-'), ...right.map((): Mark => '+')];
  if (left.length === 0 || right.length === 0) return wholesale();
  const limit = Math.min(left.length + right.length, MAX_DIFFERENCES);
  const reached = new Map<number, number>([[1, 0]]);
  const trace: Map<number, number>[] = [];
  for (let distance = 0; distance <= limit; distance++) {
    trace.push(new Map(reached));
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const below = reached.get(diagonal + 1) ?? -1;
      const beside = reached.get(diagonal - 1) ?? -1;
      let x = diagonal === -distance || (diagonal !== distance && beside < below) ? below : beside + 1;
      while (x < left.length && x - diagonal < right.length && left[x] === right[x - diagonal]) x++;
      reached.set(diagonal, x);
      if (x >= left.length && x - diagonal >= right.length) return trackBack(trace, left.length, right.length);
    }
  }
  return wholesale();
}

function trackBack(trace: readonly ReadonlyMap<number, number>[], leftLength: number, rightLength: number): Mark[] {
  const marks: Mark[] = [];
  let x = leftLength;
  let y = rightLength;
  for (let distance = trace.length - 1; distance > 0; distance--) {
    const reached = trace[distance];
    const diagonal = x - y;
    const below = reached?.get(diagonal + 1) ?? -1;
    const beside = reached?.get(diagonal - 1) ?? -1;
    const isDown = diagonal === -distance || (diagonal !== distance && beside < below);
    const from = isDown ? diagonal + 1 : diagonal - 1;
    const fromX = reached?.get(from) ?? 0;
    const fromY = fromX - from;
    while (x > fromX && y > fromY) {
      marks.push('=');
      x--;
      y--;
    }
    if (x === fromX && y === fromY) continue;
    marks.push(isDown ? '+' : '-');
    x = fromX;
    y = fromY;
  }
  while (x > 0 && y > 0) {
    marks.push('=');
    x--;
    y--;
  }
  return marks.reverse();
}

function withTexts(marks: readonly Mark[], before: readonly string[], after: readonly string[]): DifferenceLine[] {
  let left = 0;
  let right = 0;
  return marks.map((mark) => {
    if (mark === '-') return { type: 'removed', text: before[left++] ?? '', before: left };
    if (mark === '+') return { type: 'added', text: after[right++] ?? '', after: right };
    right++;
    return { type: 'same', text: before[left++] ?? '', before: left, after: right };
  });
}
