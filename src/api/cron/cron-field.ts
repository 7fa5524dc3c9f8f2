import { parseGoInteger } from '../values/go-integer.ts';
import { ValueError } from '../values/value-error.ts';

/** The range and names of one field of a schedule. */
export interface FieldBounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  /** The number that the first name stands for. */
  readonly firstName: number;
}

/** A parsed field of a schedule. */
export interface CronField {
  readonly numbers: ReadonlySet<number>;
  /** Whether the field is `*`, by itself or in a list. */
  readonly isAny: boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isAny: boolean;
}

/** Ranges of one field, apart from plain numbers; far more than there are different ones. Upstream has no limit. */
const MAX_RANGES = 5_000;

/** The number of one or two digits between two places; undefined for other text. */
function shortNumber(text: string, start: number, end: number): number | undefined {
  const tens = text.charCodeAt(start) - 0x30;
  if (end - start === 1) return tens >= 0 && tens <= 9 ? tens : undefined;
  const ones = text.charCodeAt(start + 1) - 0x30;
  return end - start === 2 && tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : undefined;
}

/** Parses a list of ranges, such as `1-3,7` or `5/10`. */
export function parseCronField(text: string, bounds: FieldBounds): CronField | ValueError {
  const numbers = new Set<number>();
  let isAny = false;
  let ranges = 0;
  for (let start = 0; start < text.length;) {
    const comma = text.indexOf(',', start);
    const end = comma < 0 ? text.length : comma;
    const number = shortNumber(text, start, end);
    if (number !== undefined && number >= bounds.min && number <= bounds.max) {
      numbers.add(number);
      start = end + 1;
      continue;
    }
    const part = text.slice(start, end);
    start = end + 1;
    if (part === '') continue;
    ranges += 1;
    if (ranges > MAX_RANGES) return new ValueError(`too many ranges: at most ${MAX_RANGES} in a field`);
    const range = parseRange(part, bounds);
    if (typeof range === 'string') return new ValueError(range);
    for (let number = range.start; number <= range.end; number += range.step) numbers.add(number);
    isAny ||= range.isAny;
  }
  return { numbers, isAny };
}

/** Parses `*`, `n` or `n-m`, each with an optional `/step`; returns the problem's text if it is malformed. */
function parseRange(expression: string, bounds: FieldBounds): Range | string {
  const [range = '', stepText, ...moreSteps] = expression.split('/');
  const [low = '', high, ...moreHyphens] = range.split('-');
  const isAll = low === '*' || low === '?';
  let start = bounds.min;
  let end = bounds.max;
  if (!isAll) {
    const first = numberOf(low, bounds);
    if (typeof first === 'string') return first;
    if (moreHyphens.length > 0) return `too many hyphens: ${expression}`;
    const second = high === undefined ? first : numberOf(high, bounds);
    if (typeof second === 'string') return second;
    start = first;
    end = second;
  }
  let step = 1;
  if (stepText !== undefined) {
    if (moreSteps.length > 0) return `too many slashes: ${expression}`;
    const parsed = numberOf(stepText, { ...bounds, names: [] });
    if (typeof parsed === 'string') return parsed;
    step = parsed;
    if (high === undefined) end = bounds.max;
  }
  if (start < bounds.min) return `beginning of range (${start}) below minimum (${bounds.min}): ${expression}`;
  if (end > bounds.max) return `end of range (${end}) above maximum (${bounds.max}): ${expression}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${expression}`;
  if (step === 0) return `step of range should be a positive number: ${expression}`;
  return { start, end, step, isAny: isAll && step === 1 };
}

/** The number, or the text of the problem. */
function numberOf(text: string, { names, firstName }: FieldBounds): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + firstName;
  const parsed = parseGoInteger(text, 'Atoi');
  if (parsed instanceof ValueError) return `failed to parse int from ${text}: ${parsed.message}`;
  return parsed < 0n ? `negative number (${parsed}) not allowed: ${text}` : Number(parsed);
}
