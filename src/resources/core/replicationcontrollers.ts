import {
  type FieldError,
  formatLabels,
  invalidValue,
  matchLabels,
  required,
  withMeta,
  sentEmpty,
} from '../../api/index.ts';
import type { ReplicationController } from '../../api/types/core/v1.d.ts';
import { changes } from '../change.ts';
import { ageColumn, nameColumn, wide } from '../columns/column.ts';
import { containerColumns, replicaColumns } from '../columns/workload-columns.ts';
import { defineKind, type Whole } from '../kind.ts';
import { scaleOfLabels } from '../scale.ts';
import { defaultPodTemplate } from './pod-spec-defaults.ts';
import { checkLongRunningTemplate } from './pod-template-rules.ts';
import { templateHooks } from './pod-template.ts';
import { templateWarnings } from './pod-warnings.ts';
import { checkReplicaCounts, type CountRules } from '../apps/workload-rules.ts';

export const replicationControllers = defineKind<ReplicationController>({
  ...templateHooks,
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
  metadataRules: 'own except prefixes',
  raisesGeneration: changes('spec'),

  /** Selector and labels default to the template's labels. */
  applyDefaults(object) {
    const { spec } = object;
    defaultPodTemplate(spec.template);
    const labels = spec.template?.metadata?.labels;
    if (labels === undefined) return;
    if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = labels;
    if (Object.keys(object.metadata.labels ?? {}).length === 0) object.metadata = withMeta(object.metadata, { labels });
  },

  /** Upstream confuses the templates on updates: it warns about the old one. */
  warnings(controller, old) {
    const { metadata } = controller;
    if (old === undefined) return templateHooks.warnings(controller, undefined);
    return templateWarnings(old.spec.template, 'spec.template', { metadata, old });
  },

  validate: checkReplicationController,
  validateStatus: checkReplicationControllerStatus,
  selectable: { 'status.replicas': ({ status }) => String(status.replicas ?? 0) },
  subresources: { scale: scaleOfLabels },
});

function checkReplicationController({ spec }: Whole<ReplicationController>): FieldError[] {
  const { selector = {}, template } = spec;
  const isSelecting = Object.keys(selector).length > 0;
  const errors = [
    ...(isSelecting ? [] : [required('spec.selector')]),
    ...(template === undefined ? [required('spec.template')] : []),
  ];
  if (template === undefined) return errors;
  const labels = template.metadata?.labels;
  if (isSelecting && !matchLabels(selector).matches(labels)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(
      invalidValue('spec.template.metadata.labels', labels ?? sentEmpty(template.metadata, 'labels'), detail),
    );
  }
  return [...errors, ...checkLongRunningTemplate(template, 'spec.template', 'ReplicationController')];
}

function checkReplicationControllerStatus({ status }: Whole<ReplicationController>): FieldError[] {
  return checkReplicaCounts(status, STATUS);
}

const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;
const STATUS: CountRules = { counts: ['replicas', ...PARTS, 'observedGeneration'], parts: PARTS };
