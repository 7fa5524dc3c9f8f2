import { cutForMessage } from './go-text.ts';
import { type Instant, isZeroInstant } from './instant.ts';
import { ValueError } from './value-error.ts';

const TIME_LENGTH = '2006-01-02T15:04:05Z'.length;
const MICRO_TIME_LENGTH = '2006-01-02T15:04:05.000000Z'.length;

/** Parses a Time: RFC 3339 with any fraction of a second, in any zone. */
export function parseTime(text: string): Instant | ValueError {
  return readCanonical(text, 'seconds') ?? new GoTimeReader(text, 'seconds').read();
}

/** Parses a MicroTime: RFC 3339 with exactly six digits of fraction, in any zone. */
export function parseMicroTime(text: string): Instant | ValueError {
  return readCanonical(text, 'micro') ?? new GoTimeReader(text, 'micro').read();
}

/** Prints a Time: whole seconds in UTC, such as `2026-01-02T03:04:05Z`. */
export function formatTime(instant: Instant): string {
  return `${formatSeconds(instant.seconds)}Z`;
}

/** Prints a MicroTime: six digits of fraction in UTC, such as `2026-01-02T03:04:05.000006Z`. */
export function formatMicroTime(instant: Instant): string {
  return `${formatSeconds(instant.seconds)}.${pad(Math.floor(instant.nanos / 1000), 6)}Z`;
}

/** The canonical form of a Time: the same string if it is canonical already, null for the zero time. */
export function canonicalTime(text: string): string | null | ValueError {
  const canonical = readCanonical(text, 'seconds');
  const instant = canonical ?? new GoTimeReader(text, 'seconds').read();
  if (instant instanceof ValueError) return instant;
  if (isZeroInstant(instant)) return null;
  return canonical === undefined ? formatTime(instant) : text;
}

/** The canonical form of a MicroTime: the same string if it is canonical already, null for the zero time. */
export function canonicalMicroTime(text: string): string | null | ValueError {
  const canonical = readCanonical(text, 'micro');
  const instant = canonical ?? new GoTimeReader(text, 'micro').read();
  if (instant instanceof ValueError) return instant;
  if (isZeroInstant(instant)) return null;
  return canonical === undefined ? formatMicroTime(instant) : text;
}

/** Parses what `formatTime` or `formatMicroTime` printed; undefined for any other text, valid or not. */
function readCanonical(text: string, precision: TimePrecision): Instant | undefined {
  const isMicro = precision === 'micro';
  if (text.length !== (isMicro ? MICRO_TIME_LENGTH : TIME_LENGTH) || !text.endsWith('Z')) return undefined;
  if (text[4] !== '-' || text[7] !== '-' || text[10] !== 'T' || text[13] !== ':' || text[16] !== ':') return undefined;
  const year = digitsAt(text, 0, 4);
  const month = digitsAt(text, 5, 2);
  const day = digitsAt(text, 8, 2);
  const hour = digitsAt(text, 11, 2);
  const minute = digitsAt(text, 14, 2);
  const second = digitsAt(text, 17, 2);
  const nanos = isMicro ? digitsAt(text, 20, 6) * 1000 : 0;
  if (isMicro && text[19] !== '.') return undefined;
  const isDate = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  if (!isDate || !(hour <= 23) || !(minute <= 59) || !(second <= 59) || Number.isNaN(year + nanos)) return undefined;
  return { seconds: secondsOf([year, month, day], [hour, minute, second]), nanos };
}

/** The number at this position; NaN if there is none. */
function digitsAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Date and time without zone. Years outside 0 to 9999 are printed as Go does. */
function formatSeconds(seconds: number): string {
  const printed = new Date(seconds * 1000).toISOString();
  if (!printed.startsWith('+') && !printed.startsWith('-')) return printed.slice(0, 19);
  const year = Number(printed.slice(1, 7));
  return `${printed.startsWith('-') ? '-' : ''}${pad(year, 4)}${printed.slice(7, 22)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}

/** One of the API's two layouts: a Time accepts any fraction of a second, a MicroTime exactly six digits. */
type TimePrecision = 'seconds' | 'micro';

const LAYOUT = { seconds: '2006-01-02T15:04:05Z07:00', micro: '2006-01-02T15:04:05.000000Z07:00' } as const;

/** The separator before each number of the date and time, its name in Go's layout, and its range. */
const NUMBERS = [
  { before: '-', element: '01', name: 'month', lowest: 1, highest: 12 },
  { before: '-', element: '02', name: 'day', lowest: 0, highest: 99 }, // checked last, when the month is known
  { before: 'T', element: '15', name: 'hour', lowest: 0, highest: 23 },
  { before: ':', element: '04', name: 'minute', lowest: 0, highest: 59 },
  { before: ':', element: '05', name: 'second', lowest: 0, highest: 59 },
] as const;

/**
 * Parses an RFC 3339 time as leniently as Go's `time.Parse`, with its errors: the hour may have one digit, a comma may
 * replace the point, an offset may be up to 24:60.
 */
class GoTimeReader {
  readonly #text: string;
  readonly #precision: TimePrecision;
  #rest: string;
  #error: ValueError | undefined;

  constructor(text: string, precision: TimePrecision) {
    this.#text = text;
    this.#precision = precision;
    this.#rest = text;
  }

  read(): Instant | ValueError {
    const year = this.#readYear();
    const [month = 1, day = 1, hour = 0, minute = 0, second = 0] = NUMBERS.map((number) => this.#readNumber(number));
    const nanos = this.#readFraction();
    const offset = this.#readZone();
    if (this.#rest !== '') this.#refuse(() => `: extra text: ${quoteTime(this.#rest)}`);
    if (day < 1 || day > daysIn(year, month)) this.#refuse(() => ': day out of range');
    if (this.#error !== undefined) return this.#error;
    return { seconds: secondsOf([year, month, day], [hour, minute, second]) - offset, nanos };
  }

  #readYear(): number {
    const [digits] = /^[0-9]{4}/.exec(this.#rest) ?? [];
    return Number(this.#take(digits, '2006'));
  }

  #readNumber({ before, element, name, lowest, highest }: (typeof NUMBERS)[number]): number {
    this.#take(this.#rest.startsWith(before) ? before : undefined, before);
    const [digits] = /^[0-9]{2}/.exec(this.#rest) ?? (element === '15' ? /^[0-9]/.exec(this.#rest) : undefined) ?? [];
    const value = Number(this.#take(digits, element));
    if (value < lowest || value > highest) this.#refuse(() => `: ${name} out of range`);
    return value;
  }

  #readFraction(): number {
    const isMicro = this.#precision === 'micro';
    const [fraction] = (isMicro ? /^[.,][-+0-9][0-9]{5}/ : /^[.,][0-9]+/).exec(this.#rest) ?? [];
    if (!isMicro) return nanosOf(this.#take(fraction ?? '', ''));
    const digits = this.#take(fraction, '.000000');
    if (/^.-.*[1-9]/.test(digits)) this.#refuse(() => ': fractional second out of range');
    return nanosOf(digits.replace(/[-+]/, '0'));
  }

  /** Seconds east of UTC. */
  #readZone(): number {
    if (this.#rest.startsWith('Z')) {
      this.#take('Z', '');
      return 0;
    }
    const [zone, sign, hours, minutes] = /^([\x20-\x7e])([0-9]{2}):([0-9]{2})?/.exec(this.#rest) ?? [];
    const isLongEnough = Buffer.byteLength(this.#rest.slice(0, 6)) >= 6;
    if (isLongEnough && Number(minutes) > 60) this.#refuse(() => ': time zone offset minute out of range');
    if (isLongEnough && Number(hours) > 24) this.#refuse(() => ': time zone offset hour out of range');
    this.#take(minutes !== undefined && (sign === '+' || sign === '-') ? zone : undefined, 'Z07:00');
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60;
  }

  /** Moves past `found`; undefined is the error that `element` of the layout is missing. */
  #take(found: string | undefined, element: string): string {
    if (found === undefined) {
      const layout = quoteTime(LAYOUT[this.#precision]);
      this.#refuse(() => ` as ${layout}: cannot parse ${quoteTime(this.#rest)} as ${quoteTime(element)}`);
      return '';
    }
    this.#rest = this.#rest.slice(found.length);
    return found;
  }

  /** Keeps the first error; later ones do not matter. */
  #refuse(what: () => string): void {
    this.#error ??= new ValueError(`parsing time ${quoteTime(this.#text)}${what()}`);
  }
}

/** Seconds since the Unix epoch of a date and time in UTC, by the proleptic Gregorian calendar. */
function secondsOf(
  [year, month, day]: readonly [number, number, number],
  [hour, minute, second]: readonly [number, number, number],
): number {
  const years = month > 2 ? year : year - 1; // years that begin in March put the leap day last
  const days = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return (years * 365 + leapDays + days - 719_468) * 86_400 + hour * 3600 + minute * 60 + second;
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1);
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** `.5` is 500,000,000; digits after the ninth are dropped. */
function nanosOf(fraction: string): number {
  return Number(fraction.slice(1, 10).padEnd(9, '0'));
}

/** Maximum length of a quoted invalid time; Go quotes it whole. */
const MAX_QUOTED = 4096;

/** Quotes as Go's time package does: everything outside printable ASCII byte by byte. */
function quoteTime(text: string): string {
  return `"${cutForMessage(text, MAX_QUOTED).replace(/[^ !#-[\]-\x7f]/gu, escapeForTime)}"`;
}

function escapeForTime(character: string): string {
  if (character === '"' || character === '\\') return `\\${character}`;
  return Array.from(Buffer.from(character), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
}
