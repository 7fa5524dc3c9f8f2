import { checkStructural, type FieldError, placeOfShape, type Shape } from '../../api/index.ts';
import { textChecks } from '../../cel/index.ts';
import { checkEmbedded } from './check-embedded.ts';
import { checkRules, type RuleBudget } from './check-rules.ts';
import { rulesAt } from './rule-tree.ts';

export interface DefaultCheck {
  /** Where the default is in the definition. */
  readonly path: string;
  /** Shared by all defaults of a schema. */
  readonly budget: RuleBudget;
}

/** The problem with a default as a value of its place: the first of several that upstream checks. */
export function checkDefaultValue(value: unknown, shape: Shape, { path, budget }: DefaultCheck): readonly FieldError[] {
  const embedded = checkEmbedded(value, shape, path);
  const unreadable = embedded.find(({ detail }) => detail === 'must be a string'); // reported before all others
  if (embedded.length > 0) return unreadable === undefined ? embedded : [unreadable];
  const options = { checks: textChecks, base: path, allowsAnyEither: true };
  const found = checkStructural(value, placeOfShape(shape), options);
  if (found.length > 0) return found;
  const tree = rulesAt(shape);
  if (tree === undefined || budget.left < 0) return [];
  const unchanged = checkRules(value, tree, { old: value, path, budget });
  return unchanged.length > 0 ? unchanged : checkRules(value, tree, { path, budget });
}
