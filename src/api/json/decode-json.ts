import type { Struct } from '../schema/schema.ts';
import { DecodeError } from './decode-error.ts';
import { explain } from './explain.ts';
import { JsonBody } from './json-body.ts';
import type { PlainObject } from './plain-object.ts';
import { plainValue } from './plain-value.ts';
import { describeProblem, type StrictProblem } from './strict-problem.ts';
import { planOf } from './struct-plan.ts';
import { MISMATCH, Walk } from './walk.ts';

/** What to do about unknown and duplicate fields: nothing, tell, or refuse. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodeOptions {
  readonly fieldValidation?: FieldValidation;
  /** Fill in what the type's `default` and `fill` flags say. */
  readonly defaults?: boolean;
}

export interface Decoded {
  /** The canonical object, see `canonicalize`. */
  readonly value: PlainObject;
  /** Unknown and duplicate fields in the words and order of Kubernetes, such as `unknown field "spec.foo"`; for `Warn`. */
  readonly warnings: readonly string[];
  /** The same, taken apart. */
  readonly problems: readonly StrictProblem[];
}

/**
 * Decodes JSON into a type.
 *
 * Ends: with a DecodeError in the words of Kubernetes: for what is no JSON, for a value of a wrong type, for nesting
 * beyond 10,000 levels (1,000 in what is kept), and with `Strict` for unknown and duplicate fields.
 */
export function decodeJson(text: string | Uint8Array | JsonBody, struct: Struct, options: DecodeOptions = {}): Decoded {
  const { fieldValidation = 'Ignore', defaults = false } = options;
  const body = text instanceof JsonBody ? text : new JsonBody(text);
  const { value, isSuspicious } = decodeBody(body, struct, defaults);
  const problems = isSuspicious && fieldValidation !== 'Ignore' ? explain(body.node, struct).problems : [];
  const warnings = problems.map(describeProblem);
  if (fieldValidation === 'Strict' && warnings.length > 0) throw strictError(warnings);
  return { value, warnings, problems };
}

/** What Kubernetes says when it refuses unknown and duplicate fields. */
export function strictError(warnings: readonly string[]): DecodeError {
  return new DecodeError('strict', `strict decoding error: ${warnings.join(', ')}`);
}

interface DecodedBody {
  readonly value: PlainObject;
  /** Whether there may be unknown or duplicate fields. */
  readonly isSuspicious: boolean;
}

function decodeBody(body: JsonBody, struct: Struct, fills: boolean): DecodedBody {
  if (body.survey.isPlain) {
    const walk = new Walk({ fills, owns: true });
    const value = convert(body, body.takeValue(), { struct, walk });
    if (walk.keys === body.survey.keys) return { value, isSuspicious: walk.unknownFields > 0 };
  }
  const walk = new Walk({ fills, owns: false });
  const plain = plainValue(body.node, { kind: 'struct', struct });
  return { value: convert(body, plain, { struct, walk }), isSuspicious: true };
}

function convert(body: JsonBody, value: unknown, { struct, walk }: { struct: Struct; walk: Walk }): PlainObject {
  try {
    return planOf(struct).convert(value ?? {}, walk);
  } catch (error) {
    if (error !== MISMATCH) throw error;
    throw explain(body.node, struct).error ?? new DecodeError('mismatch', `Cannot decode ${struct.shortName}`);
  }
}
