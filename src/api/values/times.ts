import { daysIn, GoTimeReader, secondsOf, type TimePrecision } from './go-time.ts';
import { isZeroInstant, type Instant } from './instant.ts';
import { ValueError } from './value-error.ts';

const TIME_LENGTH = '2006-01-02T15:04:05Z'.length;
const MICRO_TIME_LENGTH = '2006-01-02T15:04:05.000000Z'.length;

/** Reads a Time: RFC 3339 with any fraction of a second, in any zone. */
export function parseTime(text: string): Instant | ValueError {
  return readCanonical(text, 'seconds') ?? new GoTimeReader(text, 'seconds').read();
}

/** Reads a MicroTime: RFC 3339 with exactly six digits of fraction, in any zone. */
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

/** What a Time field reads back as: the same string when it is canonical already, null for the zero time. */
export function canonicalTime(text: string): string | null | ValueError {
  const canonical = readCanonical(text, 'seconds');
  const instant = canonical ?? new GoTimeReader(text, 'seconds').read();
  if (instant instanceof ValueError) return instant;
  if (isZeroInstant(instant)) return null;
  return canonical === undefined ? formatTime(instant) : text;
}

/** What a MicroTime field reads back as: the same string when it is canonical already, null for the zero time. */
export function canonicalMicroTime(text: string): string | null | ValueError {
  const canonical = readCanonical(text, 'micro');
  const instant = canonical ?? new GoTimeReader(text, 'micro').read();
  if (instant instanceof ValueError) return instant;
  if (isZeroInstant(instant)) return null;
  return canonical === undefined ? formatMicroTime(instant) : text;
}

/** Reads what `formatTime` or `formatMicroTime` printed; nothing for any other text, right or wrong. */
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

/** The number written there, NaN when it is none. */
function digitsAt(text: string, at: number, count: number): number {
  let value = 0;
  for (let index = at; index < at + count; index++) {
    const digit = text.charCodeAt(index) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Date and time without zone. Years outside 0 to 9999 come out as Go prints them. */
function formatSeconds(seconds: number): string {
  const printed = new Date(seconds * 1000).toISOString();
  if (!printed.startsWith('+') && !printed.startsWith('-')) return printed.slice(0, 19);
  const year = Number(printed.slice(1, 7));
  return `${printed.startsWith('-') ? '-' : ''}${pad(year, 4)}${printed.slice(7, 22)}`;
}

function pad(value: number, width: number): string {
  return String(value).padStart(width, '0');
}
