import { type FieldError, forbiddenField, invalidValue } from '../../api/index.ts';
import type { CustomResourceValidation } from '../../api/types/apiextensions/v1.d.ts';
import type { Steps } from '../../base/index.ts';
import { limits } from '../../cel/index.ts';
import { checkDefaults } from './check-defaults.ts';
import type { CheckWork } from './check-work.ts';
import type { Schema } from './definition.ts';
import type { Ratchets } from './ratchets.ts';
import { costMessage, RuleCosts } from './rule-costs.ts';
import { SchemaRules } from './schema-rules.ts';
import { structuralFormProblem } from './structural-form.ts';
import { structuralErrors } from './structural-rules.ts';
import { goNamesOf, printedSchema } from './unversioned-values.ts';

export interface SchemaCheck {
  readonly path: string;
  readonly hasStatus: boolean;
  readonly ratchets: Ratchets;
  /** The update leaves the schema unchanged, and its rules may cost what they did. */
  readonly isUnchanged: boolean;
  readonly work: CheckWork;
}

/** Everything wrong with the schema of one version, or of all. */
export function* checkSchema(
  validation: CustomResourceValidation | undefined,
  check: SchemaCheck,
): Steps<FieldError[]> {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return [];
  const path = `${check.path}.openAPIV3Schema`;
  const { ratchets, work } = check;
  const errors = [...(check.hasStatus ? checkRootMembers(schema, path) : [])];
  if (schema.nullable === true) errors.push(forbiddenField(`${path}.nullable`, 'nullable cannot be true at the root'));
  const sound = ratchets.requiresStructural ? yield* checkSoundness(schema, path, check) : undefined;
  errors.push(...(sound?.errors ?? []));
  const costs = new RuleCosts();
  const rules = new SchemaRules({ ratchets, ignoresCost: check.isUnchanged, costs, work });
  const checksExpressions = sound?.type === 'sound';
  errors.push(...(yield* rules.checkRoot(schema, path, { checksExpressions })));
  if (errors.length === 0 && sound?.type === 'unreadable') errors.push(invalidValue(path, '', sound.problem));
  if (!checksExpressions || costs.total <= BigInt(limits.definitionEstimate)) return errors;
  for (const expensive of costs.expensivePaths) {
    const detail = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    errors.push(forbiddenField(expensive, detail));
  }
  const what = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
  errors.push(forbiddenField(path, costMessage(what, costs.total, limits.definitionEstimate)));
  return errors;
}

type Soundness =
  | { readonly type: 'sound' | 'broken'; readonly errors: readonly FieldError[] }
  | { readonly type: 'unreadable'; readonly errors: readonly []; readonly problem: string };

/** Whether a schema is structural and has valid defaults; only then do its rules have types. */
function* checkSoundness(schema: Schema, path: string, { ratchets, work }: SchemaCheck): Steps<Soundness> {
  const problem = structuralFormProblem(schema);
  if (problem !== undefined) return { type: 'unreadable', errors: [], problem };
  yield* work.pause();
  const structural = structuralErrors(schema, path, work);
  if (structural.length > 0) return { type: 'broken', errors: structural };
  const errors = yield* checkDefaults(schema, path, { requiresPruned: ratchets.requiresPrunedDefaults, work });
  return { type: errors.length === 0 ? 'sound' : 'broken', errors };
}

/** What may appear at the root of a schema when the status subresource is enabled. */
const ROOT_MEMBERS = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Reports the first problem only, as upstream does. */
function checkRootMembers(schema: Schema, path: string): FieldError[] {
  for (const name of goNamesOf(schema)) {
    if (name === 'Type' && schema.type !== 'object') {
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalidValue(`${path}.type`, schema.type, detail)];
    }
    if (ROOT_MEMBERS.includes(name)) continue;
    const detail = `only [${ROOT_MEMBERS.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidValue(path, printedSchema(schema), detail)];
  }
  return [];
}
