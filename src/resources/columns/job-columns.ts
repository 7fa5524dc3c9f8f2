import type { CronJob, Job } from '../../api/types/batch/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageSince, humanDuration } from './age.ts';
import { ageColumn, boolean, column, each, integer, nameColumn, NONE, UNSET } from './column.ts';
import { containerColumns, selectorColumn } from './template-columns.ts';

export const jobColumns: readonly Column[] = [
  nameColumn,
  column<Job>('Status', 'What has become of the job', jobStatus),
  column<Job>('Completions', 'How many pods have succeeded, of how many', completions),
  column<Job>('Duration', 'Time from start to completion, or until now', durationOf),
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec?.template),
  selectorColumn<Job>(({ spec }) => spec?.selector),
];

/** An end first, then deletion, then what is on its way to an end. */
function jobStatus({ metadata, status }: Job): string {
  const conditions = each(status?.conditions);
  const holds = (wanted: string): boolean => conditions.find(({ type }) => type === wanted)?.status === 'True';
  const end = ['Complete', 'Failed'].find(holds);
  if (end !== undefined) return end;
  if (metadata?.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(holds) ?? 'Running';
}

function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationOf({ status }: Job, now: number): string {
  if (status?.startTime === undefined) return '';
  const end = status.completionTime === undefined ? now : Date.parse(status.completionTime);
  return humanDuration(end - Date.parse(status.startTime));
}

export const cronJobColumns: readonly Column[] = [
  nameColumn,
  column<CronJob>('Schedule', 'When it runs, as cron writes it', ({ spec }) => spec?.schedule ?? ''),
  column<CronJob>('Timezone', 'Time zone of the schedule', ({ spec }) => spec?.timeZone ?? NONE),
  boolean<CronJob>('Suspend', 'Whether it starts no more jobs for now', ({ spec }) => printedBoolean(spec?.suspend)),
  integer<CronJob>('Active', 'How many of its jobs are running', ({ status }) => each(status?.active).length),
  column<CronJob>('Last Schedule', 'Time since it last started a job', lastSchedule),
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate.spec?.template),
  selectorColumn<CronJob>(({ spec }) => spec?.jobTemplate.spec?.selector),
];

function printedBoolean(value: boolean | undefined): string {
  if (value === undefined) return UNSET;
  return value ? 'True' : 'False';
}

function lastSchedule({ status }: CronJob, now: number): string {
  return status?.lastScheduleTime === undefined ? NONE : ageSince(status.lastScheduleTime, now);
}
