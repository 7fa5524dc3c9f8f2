import { dns1123LabelProblems } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import { withoutGatedFields } from './gated-pod-fields.ts';

/** A template without the fields whose feature is off. */
export function withoutGatedTemplateFields<T extends PodTemplateSpec | undefined>(
  template: T,
  old?: PodTemplateSpec,
): T {
  if (template?.spec === undefined) return template;
  const spec = withoutGatedFields(template.spec, old?.spec);
  return spec === template.spec ? template : { ...template, spec };
}

/** A workload's name becomes part of the names of its pods, which are host names. */
export function podNameWarnings(name: string): string[] {
  const problems = dns1123LabelProblems(name);
  if (problems.length === 0) return [];
  return [
    'metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; ' +
      `a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
