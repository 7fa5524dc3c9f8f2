import { badRequest, DecodeError, duplicateFields, JsonBody, parseUntyped } from '../../api/index.ts';
import type { PatchContext } from './patch-method.ts';

/** A patch as sent. */
export interface PatchBody {
  readonly value: unknown;
  /** Keys that come twice; not looked for where nobody wants to know. */
  readonly duplicates: readonly string[];
}

/** Reads the JSON of a patch; `prefix` is how a refusal begins. */
export function readPatch(body: Uint8Array, context: PatchContext, prefix: string): PatchBody {
  try {
    const parsed = new JsonBody(body);
    const duplicates = context.fieldValidation === 'Ignore' ? [] : duplicateFields(parsed);
    return { value: parseUntyped(parsed), duplicates };
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${prefix}${error.message}`, { cause: error });
    throw error;
  }
}

/** What JSON calls the type of a value. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
