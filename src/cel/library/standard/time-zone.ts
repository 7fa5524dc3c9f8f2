import { CelError } from '../../values/index.ts';

const formatters = new Map<string, Intl.DateTimeFormat>();
const MAX_FORMATTERS = 64;
/** Names that are no IANA zones with a capital letter, and yet exist. */
const SEGMENT = /^(?:[A-Z]|au-|of_|es_)/;

/** Seconds east of UTC in a zone of the IANA database at a moment, or the error that there is no such zone. */
export function zoneOffset(name: string, seconds: number): number | CelError {
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
