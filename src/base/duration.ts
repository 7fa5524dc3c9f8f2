import { Buffer } from 'node:buffer';

/**
 * A length of time: milliseconds as a number, or a text that the compiler checks: '5m', '1h30m', '500ms', '30d'. Options of
 * this type have no unit in their names; names of numbers of milliseconds end in `Ms`.
 */
export type Duration =
  | number
  | `${number}${'ms' | 's' | 'm' | 'h' | 'd'}`
  | `${number}d${number}h`
  | `${number}h${number}m`
  | `${number}m${number}s`
  | `${number}h${number}m${number}s`;

/** Go's time.Duration is a signed 64-bit count of nanoseconds; a longer text is rejected. */
const MAX_NS = 2n ** 63n - 1n;
const NS_PER_MS = 1_000_000;

const GO_UNITS_NS: ReadonlyMap<string, number> = new Map([
  ['ns', 1],
  ['us', 1e3],
  ['\u00b5s', 1e3],
  ['\u03bcs', 1e3],
  ['ms', 1e6],
  ['s', 1e9],
  ['m', 60e9],
  ['h', 3600e9],
]);
const UNITS_WITH_DAYS_NS: ReadonlyMap<string, number> = new Map([...GO_UNITS_NS, ['d', 86_400e9]]);

/** A text that is not a duration; the message is Go's. */
export class DurationError extends Error {
  override readonly name = 'DurationError';
}

/** The milliseconds of a duration in either form. */
export function millisecondsOf(duration: Duration): number {
  return typeof duration === 'number' ? duration : parseDuration(duration);
}

/** Milliseconds in a Go duration ('1h30m', '500ms', '-1.5s'); days ('30d') are understood as well. */
export function parseDuration(text: string): number {
  return Number(parseNanoseconds(text, UNITS_WITH_DAYS_NS)) / NS_PER_MS;
}

/** Nanoseconds in a Go duration, accepting exactly what Go accepts: for API fields and flags. */
export function parseGoDuration(text: string): bigint {
  return parseNanoseconds(text, GO_UNITS_NS);
}

/** Milliseconds as Go prints a duration: 90_000 is '1m30s', 0.5 is '500µs'. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) throw new DurationError(`Cannot format duration: ${ms} is not a number of milliseconds`);
  const wholeMs = Math.trunc(ms);
  return formatGoDuration(BigInt(wholeMs) * BigInt(NS_PER_MS) + BigInt(Math.round((ms - wholeMs) * NS_PER_MS)));
}

/** Nanoseconds as Go prints a duration. */
export function formatGoDuration(ns: bigint): string {
  if (ns < 0n) return `-${formatGoDuration(-ns)}`;
  if (ns === 0n) return '0s';
  if (ns < 1_000n) return `${ns}ns`;
  if (ns < 1_000_000n) return `${decimal(ns, 3)}µs`;
  if (ns < 1_000_000_000n) return `${decimal(ns, 6)}ms`;
  const minutes = ns / 60_000_000_000n;
  const seconds = `${decimal(ns % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  const hours = minutes / 60n;
  return hours === 0n ? `${minutes}m${seconds}` : `${hours}h${minutes % 60n}m${seconds}`;
}

/** `value` divided by 10 to the power of `places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  const whole = digits.slice(0, -places);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function parseNanoseconds(text: string, units: ReadonlyMap<string, number>): bigint {
  const sign = text.startsWith('-') ? -1n : 1n;
  const unsigned = /^[-+]/.test(text) ? text.slice(1) : text;
  if (unsigned === '0') return 0n;
  if (unsigned === '') throw invalid(text);
  let total = 0n;
  const part = /(\d*)(\.?)(\d*)([^\d.]*)/y;
  while (part.lastIndex < unsigned.length) {
    const [, whole = '', , fraction = '', unit = ''] = part.exec(unsigned) ?? [];
    if (whole === '' && fraction === '') throw invalid(text);
    if (/[1-9]\d{19}/.test(whole)) throw invalid(text); // more than 64 bits; rejected before a huge BigInt is made of it
    if (unit === '') throw new DurationError(`time: missing unit in duration ${quote(text)}`);
    const unitNs = units.get(unit);
    if (unitNs === undefined) throw new DurationError(`time: unknown unit ${quote(unit)} in duration ${quote(text)}`);
    total += BigInt(whole) * BigInt(unitNs) + fractionNanoseconds(fraction, unitNs);
    if (total > MAX_NS + (sign < 0n ? 1n : 0n)) throw invalid(text);
  }
  return sign * total;
}

/** Go computes fractions in floating point and drops everything below a nanosecond; doing the same gives the same last digit. */
function fractionNanoseconds(fraction: string, unitNs: number): bigint {
  let digits = 0n;
  let scale = 1;
  for (const digit of fraction) {
    const longer = digits * 10n + BigInt(digit);
    if (longer > MAX_NS + 1n) break; // Go stops reading digits where 64 bits end
    digits = longer;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(digits) * (unitNs / scale)));
}

function invalid(text: string): DurationError {
  return new DurationError(`time: invalid duration ${quote(text)}`);
}

/** Quotes as Go's time package does: byte by byte, everything but printable ASCII in hexadecimal. */
function quote(text: string): string {
  const bytes = Buffer.from(text, 'utf8')
    .toString('latin1')
    .replace(/["\\]/g, String.raw`\$&`);
  return `"${bytes.replace(/[^ -\x7f]/g, (byte) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)}"`;
}
