import { DecodeError, type FieldValidation, parseUntyped } from '../json/index.ts';
import { duplicateFields } from '../patch/index.ts';
import type { Struct } from '../schema/schema.ts';
import { badRequest } from '../status.ts';
import type { Steps } from '../../base/index.ts';
import { parsedJson, type SentJson } from './sent-body.ts';

/** A patch as sent. */
export interface PatchBody {
  readonly value: unknown;
  /** Keys that occur twice; empty when validation is `Ignore`, without looking. */
  readonly duplicates: readonly string[];
}

/** Reads the JSON of a patch; `prefix` is how a refusal begins. */
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

/** What JSON calls the type of a value. */
export function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value === 'bigint' ? 'number' : typeof value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a patch once; what it returns applies it as often as needed. */
export type PatchMethod = (body: SentJson, context: PatchContext) => Steps<(current: unknown) => Steps<Patched>>;

export interface PatchContext {
  readonly fieldValidation: FieldValidation;
  readonly type: Struct;
  /** What the path calls the object. */
  readonly name: string;
  warn(message: string): void;
}

/** What a patch made of an object, not decoded yet. */
export interface Patched {
  readonly value: unknown;
  /** How messages quote what cannot be decoded. */
  readonly quoted: () => string;
  /** What is said about a value that cannot be decoded; absent: what the decoder says. */
  readonly explain?: () => string | undefined;
  /** Strange things about the patch itself, such as `duplicate field "spec"`. */
  readonly problems: readonly string[];
}
