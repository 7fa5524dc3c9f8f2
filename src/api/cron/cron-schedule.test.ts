import { expect, test } from 'vitest';
import fc from 'fast-check';
import { ValueError } from '../values/value-error.ts';
import { parseCronSchedule } from './cron-schedule.ts';
import { formatZoned, isTimeZone, zoneOffset } from './time-zone.ts';

function problemOf(schedule: string): string | undefined {
  const parsed = parseCronSchedule(schedule);
  return parsed instanceof ValueError ? parsed.message : undefined;
}

/** The first `count` times of a schedule after the given one. */
function times(schedule: string, after: string, count: number): string[] {
  const parsed = parseCronSchedule(schedule);
  if (parsed instanceof ValueError) throw parsed;
  const found: string[] = [];
  for (let ms = parsed.next(Date.parse(after)); ms !== undefined && found.length < count; ms = parsed.next(ms))
    found.push(new Date(ms).toISOString().slice(0, 16));
  return found;
}

test.each(['* * * * *', '*/5 0-6,8 1 jan-MAR sun', '@daily', '@every 1h30m', '0 0 1 1 ?', 'TZ=UTC * * * * *'])(
  'accepts the schedule %s',
  (schedule) => {
    expect(problemOf(schedule)).toBeUndefined();
  },
);

// The texts were recorded from kube-apiserver.
test.each([
  ['x', 'expected exactly 5 fields, found 1: [x]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ['@never', 'unrecognized descriptor: @never'],
])('refuses the schedule %s', (schedule, problem) => {
  expect(problemOf(schedule)).toBe(problem);
});

test('knows the names of time zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Etc/GMT+1', 'Mars/Phobos', '../etc', ''].map(isTimeZone)).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
  ]);
});

test.each([
  ['*/20 * * * *', '2026-01-01T00:00:00Z', ['2026-01-01T00:20', '2026-01-01T00:40', '2026-01-01T01:00']],
  ['30 9 * * mon-fri', '2026-01-02T10:00:00Z', ['2026-01-05T09:30', '2026-01-06T09:30', '2026-01-07T09:30']],
  ['0 0 13 * 5', '2026-01-01T00:00:00Z', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00']],
  ['0 0 29 2 *', '2026-01-01T00:00:00Z', ['2028-02-29T00:00', '2032-02-29T00:00', '2036-02-29T00:00']],
  ['59 23 31 2 *', '2026-01-01T00:00:00Z', []],
  ['@every 90m', '2026-01-01T00:00:00Z', ['2026-01-01T01:30', '2026-01-01T03:00', '2026-01-01T04:30']],
  ['TZ=Europe/Berlin 30 2 * * *', '2026-03-28T00:00:00Z', ['2026-03-28T01:30', '2026-03-30T00:30', '2026-03-31T00:30']],
  ['TZ=Europe/Berlin 30 2 * * *', '2026-10-24T12:00:00Z', ['2026-10-25T00:30', '2026-10-25T01:30', '2026-10-26T01:30']],
])('%s after %s', (schedule, after, expected) => {
  expect(times(schedule, after, 3)).toEqual(expected);
});

const FIELD_BOUNDS = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
] as const;

/** A schedule as text, and whether each of its fields has a number. */
const fieldText = ([min, max]: readonly [number, number]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    fc.integer({ min, max }).map(String),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.integer({ min: 2, max: 20 }).map((step) => `*/${step}`),
  );

function isIn(text: string, value: number, [min]: readonly [number, number]): boolean {
  if (text.startsWith('*')) return (value - min) % Number(text.slice(2) || 1) === 0;
  const [low, high = low] = text.split('-').map(Number);
  return value >= (low ?? 0) && value <= (high ?? 0);
}

/** Tests every minute: slow, but obviously right. */
function firstMinute(texts: readonly string[], zone: string, afterMs: number): number | undefined {
  const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  for (let ms = afterMs + 60_000; ms < afterMs + 4 * 86_400_000; ms += 60_000) {
    const local = new Date(`${clock.format(ms).replace(' ', 'T')}Z`);
    const values = [
      local.getUTCMinutes(),
      local.getUTCHours(),
      local.getUTCDate(),
      local.getUTCMonth() + 1,
      local.getUTCDay(),
    ];
    const [minute, hour, day, month, weekday] = values.map((value, position) =>
      isIn(texts[position] ?? '', value, FIELD_BOUNDS[position] ?? [0, 0]),
    );
    const isEither = texts[2] !== '*' && texts[4] !== '*';
    if (minute && hour && month && (isEither ? day || weekday : day && weekday)) return ms;
  }
  return undefined;
}

test('finds the same minute as testing each one', () => {
  const changes = ['2026-03-28T20:00:00Z', '2026-10-24T20:00:00Z', '2026-04-04T12:00:00Z', '2026-12-31T20:00:00Z'];
  fc.assert(
    fc.property(
      fc.tuple(...FIELD_BOUNDS.map(fieldText)),
      fc.constantFrom('UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/St_Johns', 'Asia/Kathmandu'),
      fc.tuple(fc.constantFrom(...changes), fc.integer({ min: 0, max: 2880 })),
      (texts, zone, [near, minutes]) => {
        const afterMs = Date.parse(near) + minutes * 60_000;
        const schedule = parseCronSchedule(`TZ=${zone} ${texts.join(' ')}`);
        if (schedule instanceof ValueError) throw schedule;
        const expected = firstMinute(texts, zone, afterMs);
        const found = schedule.next(afterMs);
        if (expected !== undefined) expect(found).toBe(expected);
        else expect(found ?? Infinity).toBeGreaterThanOrEqual(afterMs + 4 * 86_400_000);
      },
    ),
    { numRuns: 60 },
  );
});

test('formats times in a time zone', () => {
  const ms = Date.parse('2026-07-01T12:00:00Z');
  const formatted = ['UTC', 'Europe/Berlin', 'America/St_Johns'].map((zone) => formatZoned(ms, zoneOffset(zone)));
  expect(formatted).toEqual(['2026-07-01T12:00:00Z', '2026-07-01T14:00:00+02:00', '2026-07-01T09:30:00-02:30']);
});

test('a list of 300,000 numbers is read, and one of 300,000 ranges refused', () => {
  const numbers = Array.from({ length: 300_000 }, (_unused, index) => index % 60);
  const problem = problemOf(`${numbers.map((each) => `${each}-59`).join(',')} * * * *`);
  expect(times(`${numbers.join(',')} 5 * * *`, '2026-01-01T00:00:00Z', 1)).toEqual(['2026-01-01T05:00']);
  expect(problem).toBe('too many ranges: at most 5000 in a field');
});

test.each([
  ['7,007,09 * * * *', ['00:07', '00:09']],
  [',5,,6, * * * *', ['00:05', '00:06']],
])('numbers are read in every spelling: %s', (schedule, minutes) => {
  expect(times(schedule, '2026-01-01T00:00:00Z', 2)).toEqual(minutes.map((time) => `2026-01-01T${time}`));
});
