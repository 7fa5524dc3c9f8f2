import {
  forbiddenField,
  formatLabels,
  invalidValue,
  matchLabels,
  notSupported,
  required,
  withMeta,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type { ReplicationController } from '../../api/types/core/v1.d.ts';
import { checkLabels } from '../../apiserver/index.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn, wide } from '../columns/column.ts';
import { containerColumns, replicaColumns } from '../columns/workload-columns.ts';
import { defineKind, type Whole } from '../kind.ts';
import { scaleOfLabels } from '../scale.ts';
import { defaultPodTemplate } from './pod-spec-defaults.ts';
import { checkPodTemplateSpec } from './pod-template-rules.ts';
import { podNameWarnings, withoutGatedTemplateFields } from './pod-template.ts';
import { templateWarnings } from './pod-warnings.ts';
import { checkReplicaCounts } from './replica-counts.ts';

export const replicationControllers = defineKind<ReplicationController>({
  group: '',
  plural: 'replicationcontrollers',
  columns: [
    nameColumn,
    ...replicaColumns,
    ageColumn,
    ...containerColumns<ReplicationController>(({ spec }) => spec?.template),
    wide('Selector', 'Labels of the pods that belong to it', ({ spec }) => formatLabels(spec?.selector ?? {})),
  ],
  folder: 'controllers',
  defaultPropagation: 'orphan',
  raisesGeneration: changes('spec'),

  /** Selector and labels are the template's, where they are not given. */
  applyDefaults(object) {
    const { spec } = object;
    defaultPodTemplate(spec.template);
    const labels = spec.template?.metadata?.labels;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = labels;
    if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata = withMeta(object.metadata, { labels });
  },

  prepareForCreate(object) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
  },

  prepareForUpdate(object, old) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
  },

  validate: checkReplicationController,
  validateStatus: checkReplicationControllerStatus,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
  ],
  selectable: { 'status.replicas': ({ status }) => String(status.replicas ?? 0) },
  subresources: { scale: scaleOfLabels },
});

function checkReplicationController({ spec }: Whole<ReplicationController>): FieldError[] {
  const { selector = {}, template } = spec;
  const isSelecting = Object.keys(selector).length > 0;
  const errors = [
    ...checkLabels(selector, 'spec.selector'),
    ...(isSelecting ? [] : [required('spec.selector')]),
    ...(template === undefined ? [required('spec.template')] : []),
  ];
  if (template === undefined) return errors;
  const labels = template.metadata?.labels;
  if (isSelecting && !matchLabels(selector).matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalidValue('spec.template.metadata.labels', labels ?? null, detail));
  }
  errors.push(...checkPodTemplateSpec(template, 'spec.template'));
  if (template.spec?.restartPolicy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', template.spec?.restartPolicy ?? '', ['Always']));
  }
  if (template.spec?.activeDeadlineSeconds !== undefined) {
    const detail = 'activeDeadlineSeconds in ReplicationController is not Supported';
    errors.push(forbiddenField('spec.template.spec.activeDeadlineSeconds', detail));
  }
  return errors;
}

function checkReplicationControllerStatus({ status }: Whole<ReplicationController>): FieldError[] {
  return checkReplicaCounts(status);
}
