import { deepEqual } from '../../base/index.ts';

/** A configuration that was applied, and the result on the server. */
export interface Statement {
  readonly intent: unknown;
  /** The applied fields as the server has them: a quantity may be normalized, defaults may be added. */
  readonly effect: unknown;
}

export function statementOf(intent: unknown, answer: unknown): Statement {
  return { intent, effect: project(answer, intent) };
}

/** Whether applying this would change nothing: it was applied before, and its fields still are as they were then. */
export function isStated(intent: unknown, actual: unknown, earlier: Statement | undefined): boolean {
  return (
    earlier !== undefined && deepEqual(earlier.intent, intent) && deepEqual(project(actual, intent), earlier.effect)
  );
}

/**
 * The part of `actual` that `intent` covers.
 *
 * Lists of objects are compared element by element if they have the same length; otherwise the whole list counts, because
 * without the kind's schema it is unknown which elements correspond.
 *
 * Example: of `{ a: 1, b: [{ c: 2, d: 3 }] }`, `{ b: [{ c: 5 }] }` covers `{ b: [{ c: 2 }] }`.
 */
function project(actual: unknown, intent: unknown): unknown {
  if (!isObject(actual) || !isObject(intent)) return actual;
  if (Array.isArray(actual) || Array.isArray(intent)) {
    const isAlike = Array.isArray(actual) && Array.isArray(intent) && actual.length === intent.length;
    return isAlike ? actual.map((item: unknown, index) => project(item, intent[index])) : actual;
  }
  const part: Record<string, unknown> = {};
  for (const [name, stated] of Object.entries(intent)) {
    if (stated === undefined || !Object.hasOwn(actual, name)) continue;
    part[name] = project((actual as Record<string, unknown>)[name], stated);
  }
  return part;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
