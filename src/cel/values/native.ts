import { Boxed, Type } from '../type-terms/index.ts';
import { CelError } from './failure.ts';
import { Optional } from './optional.ts';
import type { Value } from './value.ts';

/** A value that is another one once it was taken out of an optional. */
export interface HasNative {
  readonly native: Value;
}

/**
 * What an attribute finds in an optional. Kubernetes goes through Go's own values there, and so types become their
 * names, typed data becomes plain JSON, and values of some libraries are lost.
 */
export function nativeOf(value: Value): Value {
  if (!(value instanceof Boxed)) return value;
  if (value instanceof Type) return value.name;
  if (value instanceof Optional) return value.value === undefined ? null : nativeOf(value.value);
  return 'native' in value ? (value as HasNative).native : value;
}

/** The error that a value is lost, for what Kubernetes' implementation calls its type and prints as its text. */
export function unconvertible(goName: string, text: string): CelError {
  return new CelError(`unsupported conversion to ref.Val: (${goName})${text}`);
}
