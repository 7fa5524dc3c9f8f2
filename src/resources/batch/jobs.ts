import { withMeta } from '../../api/index.ts';
import type { Job, JobSpec } from '../../api/types/batch/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { changes } from '../change.ts';
import { humanDuration } from '../../base/index.ts';
import { ageColumn, column, each, nameColumn } from '../columns/column.ts';
import { containerColumns, selectorColumn } from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { podNameWarnings, withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { defineKind, type Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { checkJob, checkJobChange } from './job-rules.ts';
import { checkJobStatus } from './job-status-rules.ts';

const MAX_INT32 = 2_147_483_647;
const DEFAULT_BACKOFF_LIMIT = 6;

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
const JOB_NAME = 'batch.kubernetes.io/job-name';

export const jobs = defineKind<Job>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: 'batch',
  plural: 'jobs',
  columns: [
    nameColumn,
    column('Status', 'What has become of the job', jobStatus),
    column('Completions', 'How many pods have succeeded, of how many', completions),
    column('Duration', 'Time from start to completion, or until now', durationOf),
    ageColumn,
    ...containerColumns<Job>(({ spec }) => spec?.template),
    selectorColumn(({ spec }) => spec?.selector),
  ],
  defaultPropagation: 'orphan',
  propagationWarning:
    'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them ' +
    'or set propagationPolicy=Orphan to suppress this warning',
  raisesGeneration: changes('spec'),

  applyDefaults(job) {
    defaultPodTemplate(job.spec.template);
    defaultJobSpec(job.spec);
    labelLikeTemplate(job);
  },

  prepareForCreate(job) {
    const hasLabelsOfTemplate = job.metadata.labels === job.spec.template.metadata?.labels;
    const template = withoutGatedTemplateFields(job.spec.template);
    job.spec = { ...job.spec, template };
    if (job.spec.manualSelector === true) return;
    generateSelector(job);
    if (!hasLabelsOfTemplate || job.metadata.labels === undefined) return;
    job.metadata = withMeta(job.metadata, { labels: undefined });
    labelLikeTemplate(job);
  },

  complete: labelLikeTemplate,

  prepareForUpdate(job, old) {
    job.spec = { ...job.spec, template: withoutGatedTemplateFields(job.spec.template, old.spec.template) };
  },

  validate: (job) => checkJob(job, undefined),
  validateUpdate: checkJob,
  validateChange: checkJobChange,
  validateStatus: checkJobStatus,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
  ],
  selectable: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
});

/** Only for a Job itself: the template of a CronJob stays as written. */
function defaultJobSpec(spec: JobSpec): void {
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? DEFAULT_BACKOFF_LIMIT : MAX_INT32;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.manualSelector ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
}

function labelLikeTemplate(job: Whole<Job>): void {
  const labels = job.spec.template.metadata?.labels;
  if (labels === undefined || Object.keys(job.metadata.labels ?? {}).length > 0) return;
  job.metadata = withMeta(job.metadata, { labels });
}

/** Adds labels that only this job's pods have, and a selector for them. Existing labels are left to validation. */
function generateSelector(job: Whole<Job>): void {
  const { name = '', uid = '' } = job.metadata;
  const { selector, template } = job.spec;
  const labels = withEntries(
    { 'controller-uid': uid, 'job-name': name, [CONTROLLER_UID]: uid, [JOB_NAME]: name },
    template.metadata?.labels ?? {},
  );
  const labelled: PodTemplateSpec = { ...template, metadata: withMeta(template.metadata ?? {}, { labels }) };
  const matchLabels = withEntries({ [CONTROLLER_UID]: uid }, selector?.matchLabels ?? {});
  job.spec = { ...job.spec, selector: { ...selector, matchLabels }, template: labelled };
}

/** A final condition first, then deletion, then pending ones. */
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
