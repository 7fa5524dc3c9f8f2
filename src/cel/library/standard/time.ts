import { parseGoInteger, ValueError } from '../../../api/values/index.ts';
import { declareFunction, type FunctionDeclaration, member, type Overload } from '../../check/declarations.ts';
import { DURATION, INT, STRING, TIMESTAMP } from '../../type-terms/index.ts';
import { CelError, checkedInt, Duration, noSuchOverload, Timestamp, type Value } from '../../values/index.ts';

/** A component of a timestamp, read from a Date whose UTC fields hold the local time. */
type Part = (local: Date, nanos: number) => number;

const DAY_MS = 86_400_000;

/** `getFullYear` and the other parts of timestamps (in UTC, or in a zone), and of durations. */
export function time(): readonly FunctionDeclaration[] {
  return [
    parts('getFullYear', 'year', (local) => local.getUTCFullYear()),
    parts('getMonth', 'month', (local) => local.getUTCMonth()),
    parts('getDayOfYear', 'day_of_year', dayOfYear),
    parts('getDayOfMonth', 'day_of_month', (local) => local.getUTCDate() - 1),
    parts('getDate', 'day_of_month_1_based', (local) => local.getUTCDate()),
    parts('getDayOfWeek', 'day_of_week', (local) => local.getUTCDay()),
    parts('getHours', 'hours', (local) => local.getUTCHours(), 3_600_000_000_000n),
    parts('getMinutes', 'minutes', (local) => local.getUTCMinutes(), 60_000_000_000n),
    parts('getSeconds', 'seconds', (local) => local.getUTCSeconds(), 1_000_000_000n),
    parts('getMilliseconds', 'milliseconds', (_, nanos) => Math.floor(nanos / 1e6), 1_000_000n),
  ];
}

/** `unitNanos` is set for components that durations also have: there it is the whole duration in that unit. */
function parts(name: string, id: string, part: Part, ...rest: readonly bigint[]): FunctionDeclaration {
  const [unitNanos] = rest;
  const withZone = id === 'seconds' ? 'timestamp_to_seconds_tz' : `timestamp_to_${id}_with_tz`;
  const overloads: Overload[] = [
    member(`timestamp_to_${id}`, [TIMESTAMP], INT, (moment) => partOf(moment, '', part)),
    member(withZone, [TIMESTAMP, STRING], INT, (moment, zone) => partOf(moment, zone, part)),
  ];
  if (unitNanos !== undefined) {
    const inUnit = (duration: Value): Value =>
      duration instanceof Duration ? checkedInt(duration.nanos / unitNanos) : noSuchOverload();
    overloads.push(member(`duration_to_${id}`, [DURATION], INT, inUnit));
  }
  return declareFunction(name, overloads);
}

function partOf(moment: Value, zone: Value, part: Part): Value {
  if (!(moment instanceof Timestamp) || typeof zone !== 'string') return noSuchOverload();
  const offset = zone.includes(':') ? fixedOffset(zone) : zoneOffset(zone, moment.instant.seconds);
  if (offset instanceof CelError) return offset;
  return part(new Date((moment.instant.seconds + offset) * 1000), moment.instant.nanos);
}

/** Seconds east of UTC of `+hh:mm`; numbers are parsed as Go does. */
function fixedOffset(zone: string): number | CelError {
  const colon = zone.indexOf(':');
  const hours = parseGoInteger(zone.slice(0, colon), 'Atoi');
  if (hours instanceof ValueError) return new CelError(hours.message);
  const minutes = parseGoInteger(zone.slice(colon + 1), 'Atoi');
  if (minutes instanceof ValueError) return new CelError(minutes.message);
  const total = zone.startsWith('-') ? hours * 60n - minutes : hours * 60n + minutes;
  return Number(total) * 60;
}

function dayOfYear(local: Date): number {
  const start = Date.UTC(2000, 0, 1); // any year would do
  const first = new Date(start);
  first.setUTCFullYear(local.getUTCFullYear());
  return Math.floor((local.getTime() - first.getTime()) / DAY_MS);
}

const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 64;
/** IANA zone name segments that do not start with a capital letter. */
const SEGMENT = /^(?:[A-Z]|au-|of_|es_)/;

/** Seconds east of UTC in an IANA zone at a given time, or an error when the zone does not exist. */
function zoneOffset(name: string, seconds: number): number | CelError {
  if (name === '' || name === 'UTC' || name === 'Local') return 0; // servers run in UTC
  if (name.includes('..') || /^[/\\]/.test(name)) return new CelError('time: invalid location name');
  const formatter = formatterOf(name);
  if (formatter === undefined) return new CelError(`unknown time zone ${name}`);
  const fields = new Map(
    formatter.formatToParts(new Date(seconds * 1000)).map(({ type, value }) => [type, Number(value)]),
  );
  const field = (type: Intl.DateTimeFormatPartTypes): number => fields.get(type) ?? 0;
  const local = new Date(0);
  const isBefore = formatter
    .formatToParts(new Date(seconds * 1000))
    .some(({ type, value }) => type === 'era' && value === 'B');
  local.setUTCFullYear(isBefore ? 1 - field('year') : field('year'), field('month') - 1, field('day'));
  local.setUTCHours(field('hour') % 24, field('minute'), field('second'));
  return Math.round(local.getTime() / 1000 - seconds);
}

function formatterOf(name: string): Intl.DateTimeFormat | undefined {
  const known = formatters.get(name);
  if (known !== undefined) return known;
  if (!name.split('/').every((segment) => SEGMENT.test(segment))) return undefined; // names differ by their case
  try {
    const formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      era: 'narrow',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
      hourCycle: 'h23',
    });
    if (formatters.size >= MAX_FORMATTERS) formatters.clear();
    formatters.set(name, formatter);
    return formatter;
  } catch {
    return undefined; // RangeError: no such zone
  }
}
