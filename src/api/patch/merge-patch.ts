/**
 * Applies an RFC 7386 merge patch: members are merged, null removes, everything else replaces.
 *
 * Guarantees: neither argument is changed; unchanged parts of `target` are shared with the result.
 */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else define(result, name, applyMergePatch(Object.hasOwn(result, name) ? result[name] : undefined, value));
  }
  return result;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** "__proto__" is a member like any other. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
