import type { FieldError } from '../../api/index.ts';
import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn } from '../columns/column.ts';
import { containerColumns, replicaColumns, selectorColumn } from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { podNameWarnings, withoutGatedTemplateFields } from '../core/pod-template.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { checkReplicaCounts } from '../core/replica-counts.ts';
import { defineKind, type Whole } from '../kind.ts';
import { scaleOfSelector } from '../scale.ts';
import { checkSelectedTemplate, checkWorkloadSelector } from './selector-rules.ts';

export const replicaSets = defineKind<ReplicaSet>({
  group: 'apps',
  plural: 'replicasets',
  columns: [
    nameColumn,
    ...replicaColumns,
    ageColumn,
    ...containerColumns<ReplicaSet>(({ spec }) => spec?.template),
    selectorColumn(({ spec }) => spec?.selector),
  ],
  raisesGeneration: changes('spec'),

  applyDefaults({ spec }) {
    defaultPodTemplate(spec.template);
  },

  prepareForCreate(object) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
  },

  prepareForUpdate(object, old) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
  },

  validate: checkReplicaSet,
  validateStatus: checkReplicaSetStatus,
  warnings: ({ metadata, spec }, old) => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
  ],
  subresources: { scale: scaleOfSelector },
});

function checkReplicaSet({ spec }: Whole<ReplicaSet>): FieldError[] {
  return [
    ...checkWorkloadSelector(spec.selector, 'deployment'), // upstream says deployment here too
    ...checkSelectedTemplate(spec.template ?? {}, spec.selector ?? undefined),
  ];
}

function checkReplicaSetStatus({ status }: Whole<ReplicaSet>): FieldError[] {
  return checkReplicaCounts(status);
}
