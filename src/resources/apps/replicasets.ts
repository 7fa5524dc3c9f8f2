import type { FieldError } from '../../api/index.ts';
import type { ReplicaSet } from '../../api/types/apps/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn } from '../columns/column.ts';
import { containerColumns, replicaColumns, selectorColumn } from '../columns/workload-columns.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateHooks } from '../core/pod-template.ts';
import { checkReplicaCounts, checkSelectedTemplate, checkWorkloadSelector, type CountRules } from './workload-rules.ts';
import { defineKind, type Whole } from '../kind.ts';
import { scaleOfSelector } from '../scale.ts';

export const replicaSets = defineKind<ReplicaSet>({
  ...templateHooks,
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

  validate: checkReplicaSet,
  validateStatus: checkReplicaSetStatus,
  subresources: { scale: scaleOfSelector },
});

function checkReplicaSet({ spec }: Whole<ReplicaSet>): FieldError[] {
  return [
    ...checkWorkloadSelector(spec.selector, 'deployment'), // upstream says deployment here too
    ...checkSelectedTemplate(spec.template ?? {}, spec.selector ?? undefined),
  ];
}

function checkReplicaSetStatus({ status }: Whole<ReplicaSet>): FieldError[] {
  return checkReplicaCounts(status, STATUS);
}

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
const STATUS: CountRules = {
  counts: ['replicas', ...PARTS, 'observedGeneration', 'terminatingReplicas'],
  parts: PARTS,
};
