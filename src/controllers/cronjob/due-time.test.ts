import { expect, test } from 'vitest';
import { parseCronSchedule } from '../../api/meaning/index.ts';
import { ValueError } from '../../api/client.ts';
import type { CronJob, Observed } from '../../client/index.ts';
import { dueTime, EmptyScheduleError, untilNextMs } from './due-time.ts';

function minutes(count: number): number {
  return Date.parse('2026-01-01T00:00:00Z') + count * 60_000;
}

function cronJob(schedule: string, startingDeadlineSeconds?: number): Observed<CronJob> {
  const deadline = startingDeadlineSeconds === undefined ? {} : { startingDeadlineSeconds };
  return {
    kind: 'CronJob',
    apiVersion: 'batch/v1',
    metadata: { name: 'c', uid: 'c', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
    spec: { schedule, jobTemplate: {}, ...deadline },
  };
}

function due(
  schedule: string,
  nowMs: number,
  deadlineSeconds?: number,
): { readonly due: string; readonly next: number } {
  const parsed = parseCronSchedule(schedule);
  if (parsed instanceof ValueError) throw parsed;
  const object = cronJob(schedule, deadlineSeconds);
  const { dueMs, missed } = dueTime(object, parsed, nowMs);
  const time = dueMs === undefined ? 'none' : new Date(dueMs).toISOString().slice(5, 16);
  return {
    due: `${time}, ${missed} missed`,
    next: ((untilNextMs(object, parsed, nowMs) ?? 0) + nowMs - minutes(0)) / 60_000,
  };
}

const PADDING = 0.1 / 60;

test.each([
  ['*/10 * * * *', 9, undefined, 'none, none missed', 10],
  ['*/10 * * * *', 10, undefined, '01-01T00:10, none missed', 20],
  ['*/10 * * * *', 25, undefined, '01-01T00:20, few missed', 30],
  ['*/10 * * * *', 25, 240, 'none, none missed', 30],
  ['* * * * *', 100.5, undefined, '01-01T01:40, few missed', 101],
  ['* * * * *', 101.5, undefined, '01-01T01:41, many missed', 102],
  ['30 6-16/4 * * 1-5', 3 * 1440, undefined, 'none, few missed', 4 * 1440 + 390],
])('%s, looked at after %d minutes (deadline %s)', (...row) => {
  const [schedule, afterMinutes, deadline, expected, next] = row;
  const found = due(schedule, minutes(afterMinutes), deadline);
  expect(found.due).toBe(expected);
  expect(found.next).toBeCloseTo(next + PADDING, 4);
});

test('a schedule of days that do not exist has its own error', () => {
  expect(() => due('0 0 31 2 *', minutes(1))).toThrow(EmptyScheduleError);
});
