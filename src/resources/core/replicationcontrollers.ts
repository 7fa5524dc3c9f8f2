import { withMeta } from '../../api/index.ts';
import type { ReplicationController } from '../../api/types/core/v1.d.ts';
import { replicationControllerColumns } from '../columns/workload-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { scaleOfLabels } from '../scale.ts';
import { defaultPodTemplate } from './pod-spec-defaults.ts';
import { templateWarnings } from './pod-warnings.ts';
import { podNameWarnings, withoutGatedTemplateFields } from './pod-template.ts';
import { checkReplicationController, checkReplicationControllerStatus } from './replicationcontroller-rules.ts';

export const replicationControllers = defineKind<ReplicationController>({
  group: '',
  plural: 'replicationcontrollers',
  columns: replicationControllerColumns,
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
