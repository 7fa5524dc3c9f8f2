import { collectErrors, type FieldError, fieldErrorText, invalidValue } from '../../api/index.ts';
import { CheckWork } from './check-work.ts';
import type { Definition } from './definition.ts';
import { structuralFormProblem } from './structural-form.ts';
import { structuralErrors } from './structural-rules.ts';

/** Why the schemas of a definition are not structural, each under the path of its version. */
export function structuralViolations({ spec }: Pick<Definition, 'spec'>): readonly FieldError[] {
  const work = new CheckWork();
  return collectErrors(() => [
    ...(spec.preserveUnknownFields === true ? [invalidValue('spec.preserveUnknownFields', true, 'must be false')] : []),
    ...(spec.versions ?? []).flatMap(({ schema }, index) => {
      const root = schema?.openAPIV3Schema;
      if (root === undefined || structuralFormProblem(root) !== undefined) return [];
      return structuralErrors(root, `spec.versions[${index}].schema.openAPIV3Schema`, work);
    }),
  ]);
}

/** The condition NonStructuralSchema of a definition. */
export interface NonStructuralState {
  readonly status: 'True' | 'Unknown';
  readonly reason: 'Violations' | 'StructuralError';
  readonly message: string;
}

/** Undefined when all schemas are structural: then there is no such condition. */
export function nonStructuralState(definition: Pick<Definition, 'spec'>): NonStructuralState | undefined {
  for (const { name, schema } of definition.spec.versions ?? []) {
    const problem = schema?.openAPIV3Schema === undefined ? undefined : structuralFormProblem(schema.openAPIV3Schema);
    if (problem === undefined) continue;
    const message = `failed to check validation schema for version ${name}: ${problem}`;
    return { status: 'Unknown', reason: 'StructuralError', message };
  }
  const texts = [...new Set(structuralViolations(definition).map(fieldErrorText))];
  if (texts.length === 0) return undefined;
  const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  return { status: 'True', reason: 'Violations', message };
}
