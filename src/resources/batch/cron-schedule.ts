import { parseGoInteger, ValueError } from '../../api/index.ts';
import { parseGoDuration } from '../../base/index.ts';

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names: readonly string[];
  /** The number that the first name stands for. */
  readonly firstName: number;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59, names: [], firstName: 0 },
  { min: 0, max: 23, names: [], firstName: 0 },
  { min: 1, max: 31, names: [], firstName: 0 },
  { min: 1, max: 12, names: MONTHS, firstName: 1 },
  { min: 0, max: 6, names: DAYS, firstName: 0 },
];

const DESCRIPTORS = new Set(['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly']);
const EVERY = '@every ';

/** What is wrong with a schedule of five fields, or one like `@daily`, in the words of upstream's parser. */
export function scheduleProblem(schedule: string): string | undefined {
  let spec = schedule;
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const space = spec.indexOf(' ');
    if (space < 0) return 'invalid schedule format: runtime error: slice bounds out of range [:-1]';
    const zone = spec.slice(spec.indexOf('=') + 1, space);
    if (!isTimeZone(zone)) return `provided bad location ${zone}: unknown time zone ${zone}`;
    spec = spec.slice(space).trim();
  }
  if (spec.startsWith('@')) return descriptorProblem(spec);
  const fields = spec.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? '').split(',').filter((part) => part !== '')) {
      const problem = rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (DESCRIPTORS.has(descriptor)) return undefined;
  if (!descriptor.startsWith(EVERY)) return `unrecognized descriptor: ${descriptor}`;
  try {
    parseGoDuration(descriptor.slice(EVERY.length));
    return undefined;
  } catch (error) {
    return `failed to parse duration ${descriptor}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** `*`, `n`, `n-m`, each with `/step`. */
function rangeProblem(expression: string, bounds: Bounds): string | undefined {
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
  return step === 0 ? `step of range should be a positive number: ${expression}` : undefined;
}

/** A number, or the text of what is wrong with it. */
function numberOf(text: string, { names, firstName }: Bounds): number | string {
  const named = names.indexOf(text.toLowerCase());
  if (named >= 0) return named + firstName;
  const parsed = parseGoInteger(text, 'Atoi');
  if (parsed instanceof ValueError) return `failed to parse int from ${text}: ${parsed.message}`;
  return parsed < 0n ? `negative number (${parsed}) not allowed: ${text}` : Number(parsed);
}

/** Whether a name is a time zone that this machine knows. */
export function isTimeZone(name: string): boolean {
  if (name === '' || name === 'UTC') return true;
  try {
    void new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false; // that is how the answer is given
  }
}
