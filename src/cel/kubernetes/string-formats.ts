import { DurationError, parseGoDuration } from '../../base/index.ts';
import { parseTime, ValueError } from '../../api/values/index.ts';
import { Duration, Timestamp } from '../values/index.ts';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const TIME_OF_DAY = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/;

/** The formats of OpenAPI, as Kubernetes checks them. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

export function isBase64(text: string): boolean {
  return BASE64.test(text);
}

export function isDate(text: string): boolean {
  return parseDate(text) !== undefined;
}

export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t');
  if (time === undefined || !isDate(date)) return false;
  const [, hour = '', minute = '', second = ''] = TIME_OF_DAY.exec(time) ?? [];
  return hour !== '' && hour <= '23' && minute <= '59' && second <= '59';
}

/** The beginning of a day in UTC. */
export function parseDate(text: string): Timestamp | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(text)) return undefined;
  const instant = parseTime(`${text}T00:00:00Z`);
  return instant instanceof ValueError ? undefined : new Timestamp(instant);
}

/** A date and time; the empty string is the Unix epoch, and without a zone it is in UTC. */
export function parseDateTime(text: string): Timestamp | undefined {
  if (text === '') return new Timestamp({ seconds: 0, nanos: 0 });
  const instant = parseTime(text);
  if (instant instanceof ValueError) {
    const local = parseTime(`${text}Z`);
    return local instanceof ValueError ? undefined : new Timestamp(local);
  }
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)$/.exec(text) ?? [];
  const offset = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * 60;
  return new Timestamp(instant, sign === '-' ? 0 - offset : offset);
}

const UNITS: readonly (readonly [names: readonly string[], nanos: bigint])[] = [
  [['ns', 'nano'], 1n],
  [['us', '\u00b5s', 'micro'], 1_000n],
  [['ms', 'milli'], 1_000_000n],
  [['s', 'sec'], 1_000_000_000n],
  [['m', 'min'], 60_000_000_000n],
  [['h', 'hr', 'hour'], 3_600_000_000_000n],
  [['d', 'day'], 86_400_000_000_000n],
  [['w', 'wk', 'week'], 604_800_000_000_000n],
];

/** Go's numbers are 64-bit integers. */
const MAX_FACTOR = 2n ** 63n - 1n;

/** A Go duration, or numbers with units by name, such as `3 days`. */
export function parseLenientDuration(text: string): Duration | undefined {
  try {
    return new Duration(parseGoDuration(text));
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
  }
  let total: bigint | undefined;
  for (const [, digits = '', name = ''] of text.matchAll(/(\d+)\s*([A-Za-z\u00b5]+)/g)) {
    if (BigInt(digits) > MAX_FACTOR) return undefined;
    const unit = name.toLowerCase();
    for (const [names, nanos] of UNITS) {
      const hits = names.filter(
        (each, at) => (at === names.length - 1 && unit.startsWith(each)) || each === unit,
      ).length;
      if (hits > 0) total = (total ?? 0n) + BigInt(hits) * BigInt(digits) * nanos;
    }
  }
  return total === undefined ? undefined : new Duration(BigInt.asIntN(64, total));
}
