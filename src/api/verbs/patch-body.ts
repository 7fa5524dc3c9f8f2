import { DecodeError, type FieldValidation, parseUntyped } from '../json/index.ts';
import { duplicateFields } from '../patch/index.ts';
import type { Struct } from '../schema/schema.ts';
import { badRequest } from '../status.ts';
import type { Steps } from '../../base/index.ts';
import { parsedJson, type SentJson } from './sent-body.ts';

/** A patch as sent. */
export interface PatchBody {
  readonly value: unknown;
  /** Duplicate keys; empty if validation is `Ignore`, which skips the check. */
  readonly duplicates: readonly string[];
}

/** Parses the JSON of a patch; `prefix` starts the message of a refusal. */
export function* readPatch(body: SentJson, context: PatchContext, prefix: string): Steps<PatchBody> {
  try {
    const parsed = parsedJson(body);
    yield;
    const duplicates = context.fieldValidation === 'Ignore' ? [] : duplicateFields(parsed);
    yield;
    return { value: parseUntyped(parsed), duplicates };
  } catch (error) {
    if (error instanceof DecodeError) throw badRequest(`${prefix}${error.message}`, { cause: error });
    throw error;
  }
}

/** The JSON type of a value. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses a patch once; the result applies it as often as needed. */
export type PatchMethod = (body: SentJson, context: PatchContext) => Steps<(current: unknown) => Steps<Patched>>;

export interface PatchContext {
  readonly fieldValidation: FieldValidation;
  readonly type: Struct;
  /** The object's name in the path. */
  readonly name: string;
  warn(message: string): void;
}

/** A patched object, not decoded yet. */
export interface Patched {
  readonly value: unknown;
  /** How messages quote an object that cannot be decoded. */
  readonly quoted: () => string;
  /** The message about a value that cannot be decoded; default: the decoder's. */
  readonly explain?: () => string | undefined;
  /** Problems of the patch itself, such as `duplicate field "spec"`. */
  readonly problems: readonly string[];
}
