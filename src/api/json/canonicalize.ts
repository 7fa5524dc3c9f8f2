import type { ApiObject } from '../object.ts';
import type { Struct } from '../schema/schema.ts';
import { DecodeError } from '../../base/index.ts';
import { explain } from './explain.ts';
import { nodeOf } from './json-node.ts';
import type { PlainObject } from './plain-object.ts';
import { planOf } from './struct-plan.ts';
import { MISMATCH, Walk } from './walk.ts';

export interface CanonicalizeOptions {
  /** Fill in what the type's `default` and `fill` flags say. */
  readonly defaults?: boolean;
  /** Told the path of every field that the type does not have, such as `spec.containers[0].foo`, in order of the input. */
  readonly onUnknown?: (path: string) => void;
  /**
   * A canonical object of the type, such as the one that the value was made from: what is frozen and the very same in both is
   * taken over without being looked at. Ignored for structural types.
   */
  readonly known?: PlainObject;
}

/**
 * The object exactly as Kubernetes would print it after decoding `value` into the type and storing it: fields in the
 * order of the table, maps sorted, unknown fields and nulls dropped, zero values dropped or written, quantities, times
 * and base64 in their canonical form.
 *
 * Guarantees: the input is never changed; the result shares with it only what is frozen; `null` is the empty object;
 * canonicalizing again changes nothing. 64-bit integers beyond 2^53 are bigints, all others numbers.
 * Differs from Go in what JavaScript cannot keep: map keys that look like list indexes (`10`) come first, and raw JSON
 * (RawExtension) keeps its values, not their spelling (`1.0` is printed as `1`).
 * Ends: with a DecodeError, in the words of Kubernetes, when a value is not of its type.
 */
export function canonicalize(value: unknown, struct: Struct, options: CanonicalizeOptions = {}): PlainObject {
  const walk = new Walk({ fills: options.defaults === true, owns: false });
  if (struct.isStructural !== true) walk.known = options.known;
  const result = convert(value, struct, walk);
  if (walk.unknownFields > 0 && options.onUnknown !== undefined) {
    for (const problem of explain(nodeOf(value), struct).problems) options.onUnknown(problem.path);
  }
  return result;
}

/** The same for a whole object. Assumes: the type is that of a kind, so that metadata is there whatever the value had. */
export function canonicalObject(value: unknown, kind: Struct, options: CanonicalizeOptions = {}): ApiObject {
  return canonicalize(value, kind, options) as unknown as ApiObject;
}

/** The same for plain JSON that the caller gives away: parts that are canonical already go into the result as they are. */
export function canonicalizeOwned(
  value: unknown,
  struct: Struct,
  options: Pick<CanonicalizeOptions, 'defaults'> = {},
): PlainObject {
  return convert(value, struct, new Walk({ fills: options.defaults === true, owns: true }));
}

/** Converts, or throws what Kubernetes says about the first thing that is wrong. */
function convert(value: unknown, struct: Struct, walk: Walk): PlainObject {
  try {
    return planOf(struct).convert(value ?? {}, walk);
  } catch (error) {
    if (error !== MISMATCH) throw error;
    throw explain(nodeOf(value), struct).error ?? new DecodeError('mismatch', `Cannot decode ${struct.shortName}`);
  }
}
