import {
  checkStructural,
  checkUniqueItems,
  collectErrors,
  Correlation,
  type FieldError,
  invalidValue,
  placeOfRoot,
  placeOfShape,
  type Shape,
  type Struct,
} from '../../api/index.ts';
import { textChecks } from '../../cel/index.ts';
import { checkEmbedded } from './check-embedded.ts';
import { checkRules } from './check-rules.ts';
import { ruleTreeOf } from './rule-tree.ts';

export interface CustomObjectCheck {
  /** The old object, for an update: existing problems in unchanged values are accepted. */
  readonly old?: object | undefined;
  /** Whether only the status is written. */
  readonly isStatus?: boolean;
  /** Known problems of the metadata; they are not reported again, but may keep rules from being evaluated. */
  readonly found?: readonly FieldError[];
  /** Problems from the kind's own rules; reported after the schema's. */
  readonly own?: readonly FieldError[];
  /** Receives what rules say about unchanged values. */
  readonly warn?: (text: string) => void;
}

/**
 * Everything wrong with a custom object according to its schema: its values, the objects inside it, its lists, and its
 * rules, in this order.
 *
 * Assumes: the object has been decoded by the type, so that it is pruned and has its defaults. Bounded: linear in the
 * size of the object, except for the rules, which have a budget.
 */
export function checkCustomObject(
  object: object,
  type: Struct,
  options: CustomObjectCheck = {},
): readonly FieldError[] {
  const { old, isStatus = false, found = [], own = [], warn } = options;
  const root: Shape = { kind: 'struct', struct: type, constraints: type.constraints };
  const correlation = old === undefined ? undefined : new Correlation(object, old, root);
  const errors = [
    ...(isStatus ? checkStatus(object, type, correlation) : checkWhole(object, type, correlation)),
    ...own,
    ...(isStatus ? [] : checkEmbedded(object, root)),
    ...checkLists(object, old, root),
  ];
  const tree = ruleTreeOf(type);
  if (tree === undefined) return errors;
  if ([...found, ...errors].some(({ reason }) => BLOCKING.has(reason))) {
    return [...errors, invalidValue('<nil>', null, NOT_CHECKED)];
  }
  return [...errors, ...checkRules(object, tree, { old, correlation, warn })];
}

/** After these, values may not have the types that rules assume. */
const BLOCKING: ReadonlySet<FieldError['reason']> = new Set<FieldError['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const NOT_CHECKED =
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';

function checkWhole(object: object, type: Struct, correlation: Correlation | undefined): readonly FieldError[] {
  return checkStructural(object, placeOfRoot(type), { checks: textChecks, correlation });
}

function checkStatus(object: object, type: Struct, correlation: Correlation | undefined): readonly FieldError[] {
  const shape = type.field('status')?.shape;
  if (shape === undefined || !('status' in object)) return [];
  const options = { checks: textChecks, base: 'status', correlation: correlation?.key('status') };
  return checkStructural(object.status, placeOfShape(shape), options);
}

/** Lists that already had duplicate items may keep them. */
function checkLists(object: object, old: object | undefined, root: Shape): readonly FieldError[] {
  const found = checkUniqueItems(object, root);
  if (found.length === 0 || old === undefined) return found;
  return collectErrors(() => checkUniqueItems(old, root)).length > 0 ? [] : found;
}
