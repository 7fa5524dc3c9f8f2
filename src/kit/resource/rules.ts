import type { ValidationRule } from '../../api/types/apiextensions/v1.d.ts';
import { isSchema, type Structural } from './schema-words.ts';

/** A CEL rule with more options than its message. */
export interface RuleOptions extends Omit<ValidationRule, 'rule'> {
  /** What `self` is: a path such as `spec.backends[*]`; default the spec, and `''` for the whole object. */
  readonly at?: string;
}

/** CEL rules, each with its message. Rules that use `oldSelf` apply only to updates. */
export type Rules = Readonly<Record<string, string | RuleOptions>>;

/** The schema with the rules added at their places. */
export function withRules(schema: Structural, rules: Rules): Structural {
  let result = schema;
  for (const [rule, given] of Object.entries(rules)) {
    const { at = 'spec', ...details }: RuleOptions = typeof given === 'string' ? { message: given } : given;
    const steps = at.split(/\.|(?=\[\*\])/).filter((step) => step !== '');
    result = changedAt(result, steps, (place) => {
      if (place === undefined) throw new Error(`Cannot put rule "${rule}" at "${at}": the schema has no such field`);
      const others = place['x-kubernetes-validations'] ?? [];
      return { ...place, 'x-kubernetes-validations': [...others, { rule, ...details }] };
    });
  }
  return result;
}

function changedAt(
  schema: Structural | undefined,
  [step, ...rest]: readonly string[],
  change: (place: Structural | undefined) => Structural,
): Structural {
  if (step === undefined || schema === undefined) return change(schema);
  if (step !== '[*]') {
    const field = changedAt(schema.properties?.[step], rest, change);
    return { ...schema, properties: { ...schema.properties, [step]: field } };
  }
  const word = schema.items === undefined ? 'additionalProperties' : 'items';
  const inner = schema[word];
  return { ...schema, [word]: changedAt(isSchema(inner) ? (inner as Structural) : undefined, rest, change) };
}
