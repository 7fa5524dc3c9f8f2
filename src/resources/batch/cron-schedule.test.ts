import { expect, test } from 'vitest';
import { isTimeZone, scheduleProblem } from './cron-schedule.ts';

test.each(['* * * * *', '*/5 0-6,8 1 jan-MAR sun', '@daily', '@every 1h30m', '0 0 1 1 ?', 'TZ=UTC * * * * *'])(
  'accepts the schedule %s',
  (schedule) => {
    expect(scheduleProblem(schedule)).toBeUndefined();
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
  expect(scheduleProblem(schedule)).toBe(problem);
});

test('knows time zones by the names of their places', () => {
  expect(['Europe/Berlin', 'UTC', 'Etc/GMT+1', 'Mars/Phobos', '../etc', ''].map(isTimeZone)).toEqual([
    true,
    true,
    true,
    false,
    false,
    true,
  ]);
});
