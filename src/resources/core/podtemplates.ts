import { formatLabels } from '../../api/index.ts';
import type { PodTemplate } from '../../api/types/core/v1.d.ts';
import { changes } from '../change.ts';
import { column, nameColumn } from '../columns/column.ts';
import { containerColumns } from '../columns/workload-columns.ts';
import { defineKind } from '../kind.ts';
import { defaultPodTemplate } from './pod-spec-defaults.ts';
import { checkPodTemplateSpec } from './pod-template-rules.ts';
import { withoutGatedTemplateFields } from './pod-template.ts';
import { templateWarnings } from './pod-warnings.ts';

export const podTemplates = defineKind<PodTemplate>({
  group: '',
  plural: 'podtemplates',
  columns: [
    nameColumn,
    ...containerColumns<PodTemplate>(({ template }) => template, column),
    column('Pod Labels', 'Labels of the pods made from the template', ({ template }) =>
      formatLabels(template?.metadata?.labels ?? {}),
    ),
  ],
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
