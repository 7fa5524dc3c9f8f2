import { dns1123LabelProblems, type ObjectMeta } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { withoutGatedFields } from './gated-pod-fields.ts';
import { templateWarnings } from './pod-warnings.ts';

interface Templated {
  readonly metadata: ObjectMeta;
  spec: { readonly template?: PodTemplateSpec };
}

/** The hooks of kinds that make pods from `spec.template`. */
export const templateHooks = {
  prepareForCreate(object: Templated): void {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template) };
  },

  prepareForUpdate(object: Templated, old: Templated): void {
    object.spec = { ...object.spec, template: withoutGatedTemplateFields(object.spec.template, old.spec.template) };
  },

  warnings: ({ metadata, spec }: Templated, old: Templated | undefined): string[] => [
    ...(old === undefined ? podNameWarnings(metadata.name ?? '') : []),
    ...templateWarnings(spec.template, 'spec.template', { metadata, old }),
  ],
};

/** A template without the fields whose feature is off. */
export function withoutGatedTemplateFields<T extends PodTemplateSpec | undefined>(
  template: T,
  old?: PodTemplateSpec,
): T {
  if (template?.spec === undefined) return template;
  const spec = withoutGatedFields(template.spec, old?.spec);
  return spec === template.spec ? template : { ...template, spec };
}

/** A workload's name becomes part of its pods' names, which are host names. */
export function podNameWarnings(name: string): string[] {
  const problems = dns1123LabelProblems(name);
  if (problems.length === 0) return [];
  return [
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ' +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
