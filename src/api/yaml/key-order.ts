import { Heap } from '../../base/index.ts';

const KEYS_A_STEP = 4096;

/** Sorted keys; undefined whenever many have been sorted and more follow. */
export function* keysInSteps(keys: readonly string[]): Generator<string | undefined> {
  const runs: string[][] = [];
  for (let start = 0; start < keys.length; start += KEYS_A_STEP) {
    if (start > 0) yield undefined;
    runs.push(keys.slice(start, start + KEYS_A_STEP).sort(compareKeys));
  }
  if (runs.length < 2) yield* runs[0] ?? [];
  else yield* merged(runs.map((run) => ({ run, at: 0 })));
}

interface Run {
  readonly run: readonly string[];
  at: number;
}

/** Merges the runs, which are few: a megabyte of short keys makes about forty. */
function* merged(runs: Run[]): Generator<string> {
  const heap = new Heap<Run>((left, right) => compareKeys(headOf(left), headOf(right)) < 0);
  for (const run of runs) heap.push(run);
  for (let least = heap.pop(); least !== undefined; least = heap.pop()) {
    yield headOf(least);
    least.at += 1;
    if (least.at < least.run.length) heap.push(least);
  }
}

function headOf({ run, at }: Run): string {
  return run[at] ?? '';
}

const LETTER = /^\p{L}$/u;
const DIGIT = /^\p{Nd}$/u;

/**
 * Compares keys as Go's YAML encoder sorts them: by character, letters after all else, runs of digits by their number.
 *
 * Example: `a-b` before `ab`, `a2` before `a10`.
 */
export function compareKeys(left: string, right: string): number {
  if (left === right) return 0;
  const quick = compareQuickly(left, right);
  if (quick !== 0) return quick;
  const a = Array.from(left);
  const b = Array.from(right);
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  const mine = a[at];
  const other = b[at];
  if (mine === undefined || other === undefined) return a.length - b.length;
  const isLetter = LETTER.test(mine);
  if (isLetter !== LETTER.test(other)) return isLetter ? 1 : -1;
  return (isLetter ? 0 : compareNumbers(a, b, at)) || codePoint(mine) - codePoint(other);
}

/**
 * Decides nearly all cases: ASCII keys that first differ in a letter each, or in short numbers without leading zeros. 0 for
 * others.
 */
function compareQuickly(left: string, right: string): number {
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at++) {
    const mine = left.charCodeAt(at);
    const other = right.charCodeAt(at);
    if (mine > 0x7f || other > 0x7f) return 0;
    if (mine === other) continue;
    if (isLetterCode(mine) && isLetterCode(other)) return mine - other;
    return mine > ZERO && mine <= NINE && other > ZERO && other <= NINE ? compareShortNumbers(left, right, at) : 0;
  }
  return left.length - right.length;
}

const ZERO = 0x30;
const NINE = 0x39;
/** Numbers with up to this many digits are exact. */
const SHORT = 15;

/** Compares numbers that differ in their first digits; 0 if they are long. */
function compareShortNumbers(left: string, right: string, at: number): number {
  const [mine, other] = [digitsFrom(left, at), digitsFrom(right, at)];
  if (mine > SHORT || other > SHORT) return 0;
  return mine - other || left.charCodeAt(at) - right.charCodeAt(at);
}

function digitsFrom(text: string, at: number): number {
  let end = at;
  while (text.charCodeAt(end) >= ZERO && text.charCodeAt(end) <= NINE) end += 1;
  return end - at;
}

function isLetterCode(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

/** Compares numbers at the first difference of two keys; if they differ in zeros, preceding digits belong to them. */
function compareNumbers(a: readonly string[], b: readonly string[], at: number): number {
  const lead = a[at] === '0' || b[at] === '0' ? leadBefore(a, at) : 0n;
  const mine = numberAt(a, at, lead);
  const other = numberAt(b, at, lead);
  if (mine.value !== other.value) return mine.value < other.value ? -1 : 1;
  return mine.end - other.end;
}

function leadBefore(characters: readonly string[], at: number): bigint {
  for (let index = at - 1; index >= 0 && DIGIT.test(characters[index] ?? ''); index--) {
    if (characters[index] !== '0') return 1n;
  }
  return 0n;
}

function numberAt(
  characters: readonly string[],
  at: number,
  lead: bigint,
): { readonly value: bigint; readonly end: number } {
  let value = lead;
  let end = at;
  for (; end < characters.length && DIGIT.test(characters[end] ?? ''); end++) {
    value = BigInt.asIntN(64, value * 10n + BigInt(codePoint(characters[end] ?? '0') - 0x30));
  }
  return { value, end };
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
