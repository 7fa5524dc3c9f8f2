import { withMeta } from '../../api/index.ts';
import type { Job, JobSpec } from '../../api/types/batch/v1.d.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { jobColumns } from '../columns/job-columns.ts';
import { changes } from '../change.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { podNameWarnings, withoutGatedTemplateFields } from '../core/pod-template.ts';
import { defineKind, type Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { checkJob, checkJobStatus, checkJobUpdate } from './job-rules.ts';

const MAX_INT32 = 2_147_483_647;
const DEFAULT_BACKOFF_LIMIT = 6;

export const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
export const JOB_NAME = 'batch.kubernetes.io/job-name';

export const jobs = defineKind<Job>({
  group: 'batch',
  plural: 'jobs',
  columns: jobColumns,
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
    const template = withoutGatedTemplateFields(job.spec.template);
    job.spec = { ...job.spec, template };
    if (job.spec.manualSelector === true) return;
    generateSelector(job);
    labelLikeTemplate(job);
  },

  prepareForUpdate(job, old) {
    job.spec = { ...job.spec, template: withoutGatedTemplateFields(job.spec.template, old.spec.template) };
  },

  validate: checkJob,
  validateUpdate: checkJobUpdate,
  validateStatus: checkJobStatus,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
  ],
  selectable: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
});

/** Only of a Job itself: the template of a CronJob stays as it was written. */
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

/** Labels that only this job's pods have, and a selector for them. What is labelled already is left to validation. */
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
