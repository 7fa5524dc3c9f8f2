import type { CronJob, Job } from '../../api/types/batch/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageSince, humanDuration } from './age.ts';
import { ageColumn, column, each, nameColumn, NONE, UNSET } from './column.ts';
import { containerColumns, selectorColumn } from './template-columns.ts';

export const jobColumns: readonly Column[] = [
  nameColumn,
  column<Job>('Status', jobStatus, { description: 'What has become of the job' }),
  column<Job>('Completions', completions, { description: 'How many pods have succeeded, of how many' }),
  column<Job>('Duration', durationOf, { description: 'Time from start to completion, or until now' }),
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
  column<CronJob>('Schedule', ({ spec }) => spec?.schedule ?? '', { description: 'When it runs, as cron writes it' }),
  column<CronJob>('Timezone', ({ spec }) => spec?.timeZone ?? NONE, { description: 'Time zone of the schedule' }),
  column<CronJob>('Suspend', ({ spec }) => printedBoolean(spec?.suspend), {
    type: 'boolean',
    description: 'Whether it starts no more jobs for now',
  }),
  column<CronJob>('Active', ({ status }) => each(status?.active).length, {
    type: 'integer',
    description: 'How many of its jobs are running',
  }),
  column<CronJob>('Last Schedule', lastSchedule, { description: 'Time since it last started a job' }),
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
