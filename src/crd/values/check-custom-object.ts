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
  /** The object as it was, for an update: what was wrong before and has not changed is let pass. */
  readonly old?: object | undefined;
  /** Only the status is written. */
  readonly isStatus?: boolean;
  /** What is known to be wrong with the metadata; it is not told again, but may keep rules from being evaluated. */
  readonly found?: readonly FieldError[];
  /** What the kind itself says; told after what the schema says. */
  readonly own?: readonly FieldError[];
  /** Told what rules say of values that have not changed. */
  readonly warn?: (text: string) => void;
}

/**
 * Everything that its schema says is wrong with an object of a custom kind: its values, the objects inside it, its lists,
 * and its rules, in this order.
 *
 * Assumes: the object has been decoded by the type, so that it is pruned and has its defaults.
 * Bounded: linear in the size of the object, but for the rules, which have a budget.
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

/** After these, values may not be what rules take them for. */
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

/** Lists that had items twice before may go on having them. */
function checkLists(object: object, old: object | undefined, root: Shape): readonly FieldError[] {
  const found = checkUniqueItems(object, root);
  if (found.length === 0 || old === undefined) return found;
  return collectErrors(() => checkUniqueItems(old, root)).length > 0 ? [] : found;
}
