import type { PodTemplate } from '../../api/types/core/v1.d.ts';
import { podTemplateColumns } from '../columns/workload-columns.ts';
import { changes } from '../change.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';
import { defaultPodTemplate } from './pod-spec-defaults.ts';
import { withoutGatedTemplateFields } from './pod-template.ts';
import { templateWarnings } from './pod-warnings.ts';
import { checkPodTemplateSpec } from './pod-template-rules.ts';

export const podTemplates = defineKind<PodTemplate>({
  group: '',
  plural: 'podtemplates',
  columns: podTemplateColumns,
  checkName: pathSegmentName,
  returnsDeletedObject: true,
  raisesGeneration: changes('template'),

  applyDefaults({ template }) {
    defaultPodTemplate(template);
  },

  prepareForCreate(object) {
    object.template = withoutGatedTemplateFields(object.template);
  },

  prepareForUpdate(object, old) {
    object.template = withoutGatedTemplateFields(object.template, old.template);
  },

  warnings: ({ metadata, template }, old) => templateWarnings(template, 'template', { metadata, old }),
  validate: ({ template }) => (template === undefined ? [] : checkPodTemplateSpec(template, 'template')),
});
