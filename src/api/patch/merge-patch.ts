import { allAtOnce, type Steps } from '../../base/index.ts';

/**
 * Applies an RFC 7386 merge patch: members are merged, null removes, everything else replaces.
 *
 * Changes neither argument; unchanged parts of `target` are shared with the result.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  return allAtOnce(mergePatching(target, patch));
}

/** How many members are merged in a step of a few milliseconds. */
const MEMBERS_A_STEP = 10_000;

/** The same in steps. */
export function* mergePatching(target: unknown, patch: unknown): Steps<unknown> {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  const names = Object.keys(patch);
  if (names.length > MEMBERS_A_STEP) yield;
  for (const [index, name] of names.entries()) {
    const value = patch[name];
    if (value === null) delete result[name];
    else if (!isObject(value)) define(result, name, value);
    else define(result, name, yield* mergePatching(Object.hasOwn(result, name) ? result[name] : undefined, value));
    if (index % MEMBERS_A_STEP === MEMBERS_A_STEP - 1) yield;
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Defined, so that "__proto__" is an ordinary member. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
