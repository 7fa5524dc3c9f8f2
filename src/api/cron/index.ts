// When CronJobs run.
export { type CronSchedule, parseCronSchedule } from './cron-schedule.ts';
export { formatZoned, isTimeZone, type ZoneOffset, zoneOffset } from './time-zone.ts';
