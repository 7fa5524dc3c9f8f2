import { millisOfGoSeconds } from '../../api/client.ts';
import type { CronJob } from '../../api/types/batch/v1.d.ts';
import type { CronSchedule } from '../../api/meaning/index.ts';
import type { Observed } from '../../client/index.ts';

/** More missed starts than this are reported in an event. */
const MANY_MISSED = 100;
/** Added to the requeue delay to allow for clock skew. */
const PADDING_MS = 100;

/** The scheduled time for which a Job is due. */
export interface DueTime {
  /** The latest time that has passed; undefined when none has since the last start. */
  readonly dueMs: number | undefined;
  readonly missed: 'none' | 'few' | 'many';
}

interface Recent extends DueTime {
  /** The last start or the CronJob's creation, but not before the starting deadline. */
  readonly sinceMs: number;
}

/** The schedule only names times that do not exist, such as February 31. */
export class EmptyScheduleError extends Error {}

/** The scheduled time of the Job that is due now, if it is within the starting deadline. */
export function dueTime(cronJob: Observed<CronJob>, schedule: CronSchedule, nowMs: number): DueTime {
  const { startingDeadlineSeconds } = cronJob.spec ?? {};
  const earliestMs =
    startingDeadlineSeconds === undefined ? -Infinity : nowMs - millisOfGoSeconds(startingDeadlineSeconds);
  return mostRecent(schedule, Math.max(lastStartMs(cronJob), earliestMs), nowMs);
}

/** Milliseconds until the CronJob's next scheduled time. */
export function untilNextMs(cronJob: Observed<CronJob>, schedule: CronSchedule, nowMs: number): number | undefined {
  const nextMs = schedule.next(lookFromMs(cronJob, schedule, nowMs));
  return nextMs === undefined ? undefined : Math.max(0, nextMs + PADDING_MS - nowMs);
}

function lookFromMs(cronJob: Observed<CronJob>, schedule: CronSchedule, nowMs: number): number {
  try {
    const { sinceMs, dueMs, missed } = mostRecent(schedule, lastStartMs(cronJob), nowMs);
    return dueMs ?? (missed === 'none' ? sinceMs : nowMs);
  } catch (error) {
    if (error instanceof EmptyScheduleError) return nowMs;
    throw error;
  }
}

function lastStartMs({ metadata, status }: Observed<CronJob>): number {
  return Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp);
}

function mostRecent(schedule: CronSchedule, sinceMs: number, nowMs: number): Recent {
  const firstMs = schedule.next(sinceMs);
  const secondMs = firstMs === undefined ? undefined : schedule.next(firstMs);
  if (firstMs === undefined || secondMs === undefined)
    throw new EmptyScheduleError('time difference between two schedules is less than 1 second');
  if (nowMs < firstMs) return { sinceMs, dueMs: undefined, missed: 'none' };
  if (nowMs < secondMs) return { sinceMs, dueMs: firstMs, missed: 'none' };
  const periodMs = secondMs - firstMs;
  const count = Math.floor((nowMs - firstMs) / periodMs) + 1; // estimated, assuming that all intervals are equal
  let dueMs: number | undefined;
  for (
    let ms = schedule.next(firstMs + (count - 2) * periodMs);
    ms !== undefined && ms <= nowMs;
    ms = schedule.next(ms)
  )
    dueMs = ms;
  return { sinceMs, dueMs, missed: count > MANY_MISSED ? 'many' : 'few' };
}
