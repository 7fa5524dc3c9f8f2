import { asJson, type FieldError, invalidValue, ValueError } from '../../api/index.ts';
import { isTimeZone, parseCronSchedule } from '../../api/meaning/index.ts';
import type { CronJob, CronJobSpec, JobSpec } from '../../api/types/batch/v1.d.ts';
import { changes } from '../change.ts';
import { ageSince } from '../../apiserver/index.ts';
import { ageColumn, boolean, column, each, integer, nameColumn, NONE, UNSET } from '../columns/column.ts';
import { containerColumns, selectorColumn } from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { podNameWarnings, withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkJobSpec } from './job-spec-rules.ts';

export const cronJobs = defineKind<CronJob>({
  statusSteps: [],
  group: 'batch',
  plural: 'cronjobs',
  columns: [
    nameColumn,
    column('Schedule', 'When it runs, as cron writes it', ({ spec }) => spec?.schedule ?? ''),
    column('Timezone', 'Time zone of the schedule', ({ spec }) => spec?.timeZone ?? NONE),
    boolean('Suspend', 'Whether it starts no more jobs for now', ({ spec }) => printedBoolean(spec?.suspend)),
    integer('Active', 'How many of its jobs are running', ({ status }) => each(status?.active).length),
    column('Last Schedule', 'Time since it last started a job', lastSchedule),
    ageColumn,
    ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate.spec?.template),
    selectorColumn(({ spec }) => spec?.jobTemplate?.spec?.selector),
  ],
  raisesGeneration: changes('spec'),

  applyDefaults({ spec }) {
    defaultPodTemplate(spec.jobTemplate.spec?.template);
  },

  prepareForCreate(object) {
    object.spec = withoutGatedFields(object.spec, undefined);
  },

  prepareForUpdate(object, old) {
    object.spec = withoutGatedFields(object.spec, old.spec);
  },

  validate: checkCronJob,
  validateUpdate: checkCronJobUpdate,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.jobTemplate.spec?.template, 'spec.jobTemplate.spec.template', { metadata, old }),
  ],
});

function withoutGatedFields(spec: CronJobSpec, old: CronJobSpec | undefined): CronJobSpec {
  const job = spec.jobTemplate.spec;
  if (job === undefined) return spec;
  const template = withoutGatedTemplateFields(job.template, old?.jobTemplate.spec?.template);
  if (template === job.template) return spec;
  return { ...spec, jobTemplate: { ...spec.jobTemplate, spec: { ...job, template } } };
}

/** A job's name is that of its CronJob plus eleven characters. */
const MAX_NAME_LENGTH = 52;

function checkCronJob({ metadata, spec }: Whole<CronJob>): FieldError[] {
  const errors = checkSpec(spec, undefined);
  const { name = '' } = metadata;
  if (name.length > MAX_NAME_LENGTH) {
    errors.push(invalidValue('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`));
  }
  return errors;
}

function checkCronJobUpdate({ spec }: Whole<CronJob>, old: Whole<CronJob>): FieldError[] {
  return checkSpec(spec, old.spec);
}

/** What a template that leaves out its job has. */
const NO_JOB: JobSpec = { template: {} };

function checkSpec(spec: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const { schedule, timeZone, jobTemplate } = spec;
  return [
    ...(schedule === '' ? [] : checkSchedule(spec, old)),
    ...(timeZone === undefined || timeZone === old?.timeZone ? [] : checkTimeZone(timeZone)),
    ...checkJobSpec(jobTemplate?.spec ?? NO_JOB, 'spec.jobTemplate.spec'),
    ...(jobTemplate?.spec?.selector === undefined ? [] : [generated('selector', jobTemplate.spec.selector)]),
    ...(jobTemplate?.spec?.manualSelector === true ? [notManual()] : []),
  ];
}

function generated(name: string, value: unknown): FieldError {
  return invalidValue(`spec.jobTemplate.spec.${name}`, value, '`selector` will be auto-generated');
}

function notManual(): FieldError {
  const detail = 'supported values: "nil", "false"';
  return { reason: 'FieldValueNotSupported', field: 'spec.jobTemplate.spec.manualSelector', value: true, detail };
}

function checkSchedule({ schedule, timeZone }: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const field = 'spec.schedule';
  const parsed = parseCronSchedule(schedule);
  const errors = parsed instanceof ValueError ? [invalidValue(field, schedule, parsed.message)] : [];
  if (!schedule.includes('TZ')) return errors;
  if (old?.schedule.includes('TZ') !== true) {
    const detail = 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead';
    errors.push(invalidValue(field, schedule, detail));
  } else if (timeZone !== undefined) {
    errors.push(invalidValue(field, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
  return errors;
}

const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

function checkTimeZone(zone: string): FieldError[] {
  const field = 'spec.timeZone';
  const shown = asJson(zone);
  if (zone === '') return [invalidValue(field, shown, 'timeZone must be nil or non-empty string')];
  const isBad = zone
    .split('/')
    .some((part) => part === '.' || part === '..' || part.startsWith('-') || !ZONE_PART.test(part));
  if (isBad) return [invalidValue(field, shown, `unknown time zone ${zone}`)];
  const errors: FieldError[] = [];
  if (zone.toLowerCase() === 'local') {
    const detail = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
    errors.push(invalidValue(field, shown, detail));
    if (zone === 'Local') return errors;
  }
  if (zone.includes('..')) errors.push(invalidValue(field, shown, 'time: invalid location name'));
  else if (!isTimeZone(zone)) errors.push(invalidValue(field, shown, `unknown time zone ${zone}`));
  return errors;
}

function printedBoolean(value: boolean | undefined): string {
  if (value === undefined) return UNSET;
  return value ? 'True' : 'False';
}

function lastSchedule({ status }: CronJob, now: number): string {
  return status?.lastScheduleTime === undefined ? NONE : ageSince(status.lastScheduleTime, now);
}
