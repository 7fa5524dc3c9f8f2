import { canonicalize, DecodeError, invalid, invalidValue } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { PatchContext } from './patch-methods.ts';

/** Reads what a patch made of an object as strictly as if it had been sent whole. */
export function decodePatched(patched: unknown, resource: Resource, context: PatchContext): ApiObject {
  const problem = (detail: string): Error =>
    invalid({ group: '', resource: '' }, '', [invalidValue('patch', JSON.stringify(sorted(patched)), detail)]);
  try {
    const unknown: string[] = [];
    const value = canonicalize(patched, resource.type, { defaults: true, onUnknown: (path) => unknown.push(path) });
    const object = value as unknown as ApiObject;
    if (unknown.length > 0 && context.fieldValidation === 'Strict') {
      throw problem(`strict decoding error: ${unknown.map(unknownText).join(', ')}`);
    }
    if (context.fieldValidation === 'Warn') for (const path of unknown) context.warn(unknownText(path));
    resource.strategy.applyDefaults?.(object);
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw problem(error.message);
    throw error;
  }
}

function unknownText(path: string): string {
  return `unknown field "${path}"`;
}

/** Members of the object itself by name, as upstream's merge leaves them; what is inside keeps its order. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
