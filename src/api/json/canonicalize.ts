import type { ApiObject } from '../object.ts';
import type { Struct } from '../schema/schema.ts';
import { DecodeError } from '../../base/index.ts';
import { explain } from './explain.ts';
import { nodeOf } from './json-node.ts';
import type { PlainObject } from './plain-object.ts';
import { planOf } from './struct-plan.ts';
import { MISMATCH, Walk } from './walk.ts';

export interface CanonicalizeOptions {
  /** Fills in the type's `default` and `fill` values. */
  readonly defaults?: boolean;
  /** Sorts the keys of untyped values (RawExtension). */
  readonly sortsRaw?: boolean;
  /** Called with the path of every unknown field, such as `spec.containers[0].foo`, in the order of the input. */
  readonly onUnknown?: (path: string) => void;
  /**
   * A canonical object of the type, such as the one that the value was made from: frozen parts that both share are reused
   * unchecked. Ignored for structural types.
   */
  readonly known?: PlainObject;
}

/**
 * The object exactly as Kubernetes would print it after decoding `value` into the type and storing it: fields in the order
 * of the table, maps sorted, unknown fields and nulls dropped, zero values dropped or written, quantities, times and base64
 * in canonical form.
 *
 * The input is never changed, and the result shares only frozen parts with it; `null` is the empty object; canonicalizing
 * again changes nothing. 64-bit integers beyond 2^53 are bigints, all others numbers.
 * Differs from Go where JavaScript cannot follow: map keys that look like list indexes (`10`) come first, and raw JSON
 * (RawExtension) keeps its values, not their spelling (`1.0` is printed as `1`).
 * Throws a DecodeError, in Kubernetes' words, if a value does not match its type.
 */
export function canonicalize(value: unknown, struct: Struct, options: CanonicalizeOptions = {}): PlainObject {
  const walk = new Walk({ fills: options.defaults === true, owns: false, sortsRaw: options.sortsRaw });
  if (struct.isStructural !== true) walk.known = options.known;
  const result = convert(value, struct, walk);
  if (walk.unknownFields > 0 && options.onUnknown !== undefined) {
    for (const problem of explain(nodeOf(value), struct).problems) options.onUnknown(problem.path);
  }
  return result;
}

/** The same for a whole object. The type must be that of a kind, so that the result has metadata in any case. */
export function canonicalObject(value: unknown, kind: Struct, options: CanonicalizeOptions = {}): ApiObject {
  return canonicalize(value, kind, options) as unknown as ApiObject;
}

/** The same for plain JSON that the caller no longer uses: canonical parts go into the result uncopied. */
export function canonicalizeOwned(
  value: unknown,
  struct: Struct,
  options: Pick<CanonicalizeOptions, 'defaults'> = {},
): PlainObject {
  return convert(value, struct, new Walk({ fills: options.defaults === true, owns: true }));
}

/** Converts, or throws Kubernetes' error for the first problem. */
function convert(value: unknown, struct: Struct, walk: Walk): PlainObject {
  try {
    return planOf(struct).convert(value ?? {}, walk);
  } catch (error) {
    if (error !== MISMATCH) throw error;
    throw explain(nodeOf(value), struct).error ?? new DecodeError('mismatch', `Cannot decode ${struct.shortName}`);
  }
}
