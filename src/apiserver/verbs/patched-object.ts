import { canonicalize, DecodeError, invalid, invalidValue } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { PatchContext, Patched } from './patch-methods.ts';
import { resetsOwners, withoutOwners } from '../request/reset-owners.ts';

/** Reads what a patch made of an object as strictly as if it had been sent whole. */
export function decodePatched(patched: Patched, resource: Resource, context: PatchContext): ApiObject {
  const { value, problems: found, explain } = patched;
  const problem = (detail: string): Error =>
    invalid({ group: '', resource: '' }, '', [invalidValue('patch', patched.quoted(), detail)]);
  try {
    const unknown: string[] = [];
    const decoded = canonicalize(value, resource.type, { defaults: true, onUnknown: (path) => unknown.push(unknownText(path)) });
    const problems = [...found, ...(explain === undefined ? unknown : unknown.sort())];
    if (problems.length > 0 && context.fieldValidation === 'Strict') {
      throw problem(`strict decoding error: ${problems.join(', ')}`);
    }
    if (context.fieldValidation === 'Warn') for (const text of problems) context.warn(text);
    const object = decoded as unknown as ApiObject;
    resource.strategy.applyDefaults?.(object);
    return resetsOwners(value) ? withoutOwners(object) : object;
  } catch (error) {
    if (error instanceof DecodeError) throw problem(explain?.() ?? error.message);
    throw error;
  }
}

function unknownText(path: string): string {
  return `unknown field "${path}"`;
}

/** Members of the object itself by name, as upstream's merge leaves them; what is inside keeps its order. */
export function sortedMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
