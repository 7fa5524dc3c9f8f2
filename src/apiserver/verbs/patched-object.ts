import { canonicalize, DecodeError, invalid, invalidValue } from '../../api/index.ts';
import type { ApiObject } from '../../api/index.ts';
import type { Endpoint } from '../endpoint.ts';
import { resetsManagedFields, withoutManagedFields } from '../request/reset-managed-fields.ts';
import type { PatchContext, Patched } from './patch-method.ts';
import { kindProblem, withKind } from './patched-kind.ts';

/** Reads what a patch made of an object as strictly as if it had been sent whole. */
export function decodePatched(patched: Patched, endpoint: Endpoint, context: PatchContext): ApiObject {
  const { resource } = endpoint;
  const { value, problems: found, explain } = patched;
  const problem = (detail: string): Error =>
    invalid({ group: '', resource: '' }, '', [invalidValue('patch', patched.quoted(), detail)]);
  const wrongKind = explain === undefined ? kindProblem(value, endpoint, context.name) : undefined;
  if (wrongKind !== undefined) throw problem(wrongKind);
  try {
    const unknown: string[] = [];
    const decoded = canonicalize(value, resource.type, {
      defaults: true,
      onUnknown: (path) => unknown.push(unknownText(path)),
    });
    const problems = [...found, ...(explain === undefined ? unknown : unknown.sort())];
    if (problems.length > 0 && context.fieldValidation === 'Strict') {
      throw problem(`strict decoding error: ${problems.join(', ')}`);
    }
    if (context.fieldValidation === 'Warn') for (const text of problems) context.warn(text);
    const object = withKind(decoded as unknown as ApiObject, resource);
    resource.strategy.applyDefaults?.(object);
    return resetsManagedFields(value) ? withoutManagedFields(object) : object;
  } catch (error) {
    if (error instanceof DecodeError) throw problem(explain?.() ?? error.message);
    throw error;
  }
}

function unknownText(path: string): string {
  return `unknown field "${path}"`;
}
