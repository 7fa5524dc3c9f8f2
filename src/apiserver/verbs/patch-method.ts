import type { Struct } from '../../api/index.ts';
import type { FieldValidation } from '../request/options.ts';

/** Reads a patch once; what it returns applies it as often as needed. */
export type PatchMethod = (body: Uint8Array, context: PatchContext) => (current: unknown) => Patched;

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
