import type { CronJob, CronJobSpec } from '../../api/types/batch/v1.d.ts';
import { cronJobColumns } from '../columns/job-columns.ts';
import { changes } from '../change.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { podNameWarnings, withoutGatedTemplateFields } from '../core/pod-template.ts';
import { defineKind } from '../kind.ts';
import { checkCronJob, checkCronJobUpdate } from './cronjob-rules.ts';

export const cronJobs = defineKind<CronJob>({
  group: 'batch',
  plural: 'cronjobs',
  columns: cronJobColumns,
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
