import { deepEqual } from '../../base/index.ts';

/** What was stated by server-side apply, and what the server made of it. */
export interface Statement {
  readonly intent: unknown;
  /** The stated fields as the server has them: a quantity may read otherwise, a default may stand beside. */
  readonly effect: unknown;
}

export function statementOf(intent: unknown, answer: unknown): Statement {
  return { intent, effect: project(answer, intent) };
}

/** Whether stating this would change nothing: it was stated before, and what it speaks of still is as it was then. */
export function isStated(intent: unknown, actual: unknown, earlier: Statement | undefined): boolean {
  return (
    earlier !== undefined && deepEqual(earlier.intent, intent) && deepEqual(project(actual, intent), earlier.effect)
  );
}

/**
 * The part of `actual` that `intent` speaks of.
 *
 * Lists of objects are gone through element by element if they are of one length; else the whole list counts, for without
 * the kind's schema nobody knows which elements belong together.
 *
 * Example: of `{ a: 1, b: [{ c: 2, d: 3 }] }`, `{ b: [{ c: 5 }] }` speaks of `{ b: [{ c: 2 }] }`.
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
