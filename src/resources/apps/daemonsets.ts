import { withMeta } from '../../api/index.ts';
import type { DaemonSet, DaemonSetSpec } from '../../api/types/apps/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { daemonSetColumns } from '../columns/workload-columns.ts';
import { changes } from '../change.ts';
import { defaultPodTemplate } from '../core/pod-spec-defaults.ts';
import { templateWarnings } from '../core/pod-warnings.ts';
import { withoutGatedTemplateFields } from '../core/pod-template.ts';
import { defineKind, type Whole } from '../kind.ts';
import { withEntries } from '../object-meta.ts';
import { checkDaemonSet, checkDaemonSetStatus } from './daemonset-rules.ts';

/** How often the template changed; a field once, kept as an annotation since. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSets = defineKind<DaemonSet>({
  group: 'apps',
  plural: 'daemonsets',
  columns: daemonSetColumns,
  raisesGeneration: changes('spec'),
  judges: ['spec.selector', 'spec.updateStrategy.type'],

  applyDefaults(object) {
    defaultPodTemplate(object.spec.template);
    defaultUpdateStrategy(object.spec);
    setTemplateGeneration(object, templateGeneration(object)); // whoever writes the object owns the annotation
  },

  prepareForCreate(object) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
    setTemplateGeneration(object, Math.max(1, templateGeneration(object)));
  },

  prepareForUpdate(object, old) {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
    const isSame = deepEqual(object.spec.template, old.spec.template);
    setTemplateGeneration(object, templateGeneration(old) + (isSame ? 0 : 1));
  },

  prepareForStatusUpdate(object, old) {
    setTemplateGeneration(object, templateGeneration(old));
  },

  warnings: ({ metadata, spec }, old) => templateWarnings(spec.template, 'spec.template', { metadata, old }),
  validate: checkDaemonSet,
  validateStatus: checkDaemonSetStatus,
});

function defaultUpdateStrategy(spec: DaemonSetSpec): void {
  const { updateStrategy } = spec;
  if (updateStrategy?.type !== 'RollingUpdate') return;
  updateStrategy.rollingUpdate ??= {};
  updateStrategy.rollingUpdate.maxUnavailable ??= 1;
  updateStrategy.rollingUpdate.maxSurge ??= 0;
}

function templateGeneration({ metadata }: Whole<DaemonSet>): number {
  const text = metadata.annotations?.[TEMPLATE_GENERATION] ?? '';
  return /^-?\d+$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(object: Whole<DaemonSet>, generation: number): void {
  const annotations = withEntries(object.metadata.annotations, { [TEMPLATE_GENERATION]: String(generation) });
  object.metadata = withMeta(object.metadata, { annotations });
}
