import { parseGoDuration } from '../../base/index.ts';
import { ValueError } from '../values/value-error.ts';
import { type CronField, type FieldBounds, parseCronField } from './cron-field.ts';
import { isTimeZone, type ZoneOffset, zoneOffset } from './time-zone.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A schedule without a time in this many years has none. */
const YEARS = 5;

/** The times of a recurring event. */
export interface CronSchedule {
  /** The first time after this one, in milliseconds since the epoch; undefined when there is none within five years. */
  next(afterMs: number): number | undefined;
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const FIELDS: readonly FieldBounds[] = [
  { min: 0, max: 59, names: [], firstName: 0 },
  { min: 0, max: 23, names: [], firstName: 0 },
  { min: 1, max: 31, names: [], firstName: 0 },
  { min: 1, max: 12, names: MONTHS, firstName: 1 },
  { min: 0, max: 6, names: DAYS, firstName: 0 },
];

const DESCRIPTORS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);
const EVERY = '@every ';

/**
 * Parses a schedule of five fields, or one like `@daily`; errors are in the words of upstream's parser. Times are in UTC,
 * unless it starts with `TZ=` and the name of a time zone.
 */
export function parseCronSchedule(schedule: string): CronSchedule | ValueError {
  let spec = schedule;
  let zone = '';
  if (spec.startsWith('TZ=') || spec.startsWith('CRON_TZ=')) {
    const space = spec.indexOf(' ');
    if (space < 0) return new ValueError('invalid schedule format: runtime error: slice bounds out of range [:-1]');
    zone = spec.slice(spec.indexOf('=') + 1, space);
    if (!isTimeZone(zone)) return new ValueError(`provided bad location ${zone}: unknown time zone ${zone}`);
    spec = spec.slice(space).trim();
  }
  if (spec.startsWith(EVERY)) return parseEvery(spec);
  const named = spec.startsWith('@') ? DESCRIPTORS.get(spec) : spec;
  if (named === undefined) return new ValueError(`unrecognized descriptor: ${spec}`);
  return parseFields(named, zone);
}

function parseEvery(spec: string): CronSchedule | ValueError {
  try {
    const seconds = parseGoDuration(spec.slice(EVERY.length)) / 1_000_000_000n;
    const periodMs = Math.max(1, Number(seconds)) * SECOND_MS;
    return { next: (afterMs) => Math.floor(afterMs / SECOND_MS) * SECOND_MS + periodMs };
  } catch (error) {
    return new ValueError(
      `failed to parse duration ${spec}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function parseFields(spec: string, zone: string): CronSchedule | ValueError {
  const texts = spec.split(/\s+/).filter((field) => field !== '');
  if (texts.length !== FIELDS.length)
    return new ValueError(`expected exactly ${FIELDS.length} fields, found ${texts.length}: [${texts.join(' ')}]`);
  const fields: CronField[] = [];
  for (const [position, bounds] of FIELDS.entries()) {
    const field = parseCronField(texts[position] ?? '', bounds);
    if (field instanceof ValueError) return field;
    fields.push(field);
  }
  const [minutes, hours, days, months, weekdays] = fields;
  if (!minutes || !hours || !days || !months || !weekdays) throw new Error('Unreachable: five fields were read');
  return new FieldSchedule({ minutes, hours, days, months, weekdays }, zoneOffset(zone));
}

type FieldName = 'minutes' | 'hours' | 'days' | 'months' | 'weekdays';

/**
 * The minutes whose local date and time match all fields: both in an hour that occurs twice, none in an hour that is
 * skipped.
 */
class FieldSchedule implements CronSchedule {
  readonly #fields: Readonly<Record<FieldName, CronField>>;
  readonly #offset: ZoneOffset;

  constructor(fields: Readonly<Record<FieldName, CronField>>, offset: ZoneOffset) {
    this.#fields = fields;
    this.#offset = offset;
  }

  next(afterMs: number): number | undefined {
    const { minutes, hours, months } = this.#fields;
    let ms = (Math.floor(afterMs / MINUTE_MS) + 1) * MINUTE_MS;
    const lastYear = new Date(ms).getUTCFullYear() + YEARS;
    for (;;) {
      const local = new Date(ms + this.#offset(ms));
      if (local.getUTCFullYear() > lastYear) return undefined;
      if (!months.numbers.has(local.getUTCMonth() + 1)) ms = this.#skip(ms, local, untilMonth(local));
      else if (!this.#isDay(local)) ms = this.#skip(ms, local, untilDay(local));
      else if (!hours.numbers.has(local.getUTCHours())) ms = this.#skip(ms, local, untilHour(local));
      else if (!minutes.numbers.has(local.getUTCMinutes())) ms += MINUTE_MS;
      else return ms;
    }
  }

  /** If both the day of the month and the day of the week are given, one of them has to match. */
  #isDay(local: Date): boolean {
    const { days, weekdays } = this.#fields;
    const isDay = days.numbers.has(local.getUTCDate());
    const isWeekday = weekdays.numbers.has(local.getUTCDay());
    return days.isAny || weekdays.isAny ? isDay && isWeekday : isDay || isWeekday;
  }

  /** Skips the wanted time if the offset does not change on the way, otherwise a smaller step. */
  #skip(ms: number, local: Date, wantedMs: number): number {
    const offsetMs = this.#offset(ms);
    const steps = [wantedMs, untilDay(local), untilHour(local)].filter((step) => step <= wantedMs);
    const step = steps.find((each) => this.#offset(ms + each) === offsetMs);
    return ms + (step ?? MINUTE_MS);
  }
}

function untilMonth(local: Date): number {
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth() + 1, 1) - local.getTime();
}

function untilDay(local: Date): number {
  return DAY_MS - (local.getTime() % DAY_MS);
}

function untilHour(local: Date): number {
  return HOUR_MS - (local.getTime() % HOUR_MS);
}
