import type { Struct } from '../schema/schema.ts';
import { allAtOnce, DecodeError, type Steps } from '../../base/index.ts';
import { explain } from './explain.ts';
import { JsonBody } from './json-body.ts';
import type { JsonNode } from './json-node.ts';
import type { PlainObject } from './plain-object.ts';
import { plainValue } from './plain-value.ts';
import { describeProblem, type StrictProblem } from './strict-problem.ts';
import { planOf } from './struct-plan.ts';
import { MISMATCH, Walk } from './walk.ts';

/** How unknown and duplicate fields are handled: ignored, reported or refused. */
export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface DecodeOptions {
  readonly fieldValidation?: FieldValidation;
  /** Fills in the type's `default` and `fill` values. */
  readonly defaults?: boolean;
  /** Drops invalid metadata of objects of structural types, instead of refusing them. */
  readonly forgives?: boolean;
}

export interface Decoded {
  /** The canonical object, see `canonicalize`. */
  readonly value: PlainObject;
  /** Unknown and duplicate fields in the words and order of Kubernetes, such as `unknown field "spec.foo"`; for `Warn`. */
  readonly warnings: readonly string[];
  /** The same, structured. */
  readonly problems: readonly StrictProblem[];
  /** About how long the defaults are that were filled in, as JSON; not known for YAML and unusual numbers. */
  readonly filledBytes?: number;
}

/**
 * Decodes JSON into a type.
 *
 * Throws a DecodeError in Kubernetes' words: for malformed JSON, for a value of a wrong type, for nesting beyond 10,000
 * levels (1,000 in what is kept), and with `Strict` for unknown and duplicate fields.
 */
export function decodeJson(text: string | Uint8Array | JsonBody, struct: Struct, options: DecodeOptions = {}): Decoded {
  const body = text instanceof JsonBody ? text : new JsonBody(text);
  const plain = decodePlain(body, struct, options);
  return plain !== undefined && isClean(plain, options)
    ? plain
    : allAtOnce(decodingOn(body, struct, { options, plain }));
}

/** The same in steps. */
export function* jsonDecoding(body: JsonBody, struct: Struct, options: DecodeOptions): Steps<Decoded> {
  const plain = decodePlain(body, struct, options);
  if (plain !== undefined && isClean(plain, options)) return plain;
  yield;
  return yield* decodingOn(body, struct, { options, plain });
}

/** The result of JSON.parse, if nothing is lost in it. */
interface PlainDecoded extends Decoded {
  readonly unknownFields: number;
}

function decodePlain(body: JsonBody, struct: Struct, options: DecodeOptions): PlainDecoded | undefined {
  if (!body.survey.isPlain) return undefined;
  const walk = new Walk({ fills: options.defaults === true, owns: true, forgives: options.forgives });
  const value = convert(body.takeValue(), { struct, walk, node: () => body.node });
  if (walk.keys !== body.survey.keys) return undefined;
  const { unknownFields, filledBytes } = walk;
  return { value, warnings: NONE, problems: NONE, unknownFields, filledBytes };
}

const NONE: readonly never[] = [];

function isClean({ unknownFields }: PlainDecoded, options: DecodeOptions): boolean {
  return unknownFields === 0 || isIgnoring(options);
}

/** Continues with the nodes if the plain value is not sufficient. */
function* decodingOn(
  body: JsonBody,
  struct: Struct,
  { options, plain }: { readonly options: DecodeOptions; readonly plain: PlainDecoded | undefined },
): Steps<Decoded> {
  if (plain !== undefined) {
    const { node } = body;
    yield;
    return judge(plain.value, explain(node, struct).problems, options);
  }
  const { node } = body;
  yield;
  return yield* nodeDecoding(node, struct, options);
}

/** The same for nodes, which lose nothing but are slower. `found` are earlier problems. */
export function* nodeDecoding(
  node: JsonNode,
  struct: Struct,
  options: DecodeOptions & { readonly found?: { readonly error: string; readonly warnings: readonly string[] } } = {},
): Steps<Decoded> {
  const walk = new Walk({ fills: options.defaults === true, owns: false, forgives: options.forgives });
  const plain = plainValue(node, struct.isStructural === true ? undefined : { kind: 'struct', struct });
  yield;
  const value = convert(plain, { struct, walk, node: () => node });
  if (isIgnoring(options)) return judge(value, [], options);
  yield;
  return judge(value, explain(node, struct).problems, options);
}

function isIgnoring(options: DecodeOptions): boolean {
  return (options.fieldValidation ?? 'Ignore') === 'Ignore';
}

function judge(
  value: PlainObject,
  problems: readonly StrictProblem[],
  options: DecodeOptions & { readonly found?: { readonly error: string; readonly warnings: readonly string[] } },
): Decoded {
  if (isIgnoring(options)) return { value, warnings: [], problems: [] };
  const described = problems.map(describeProblem);
  const { found = { error: '', warnings: [] } } = options;
  const errors = found.error === '' ? described : [found.error, ...described];
  if (options.fieldValidation === 'Strict' && errors.length > 0) {
    throw new DecodeError('strict', `strict decoding error: ${errors.join(', ')}`);
  }
  return { value, warnings: [...found.warnings, ...described], problems };
}

interface Conversion {
  readonly struct: Struct;
  readonly walk: Walk;
  /** The exact nodes, for explaining problems. */
  readonly node: () => JsonNode;
}

function convert(value: unknown, { struct, walk, node }: Conversion): PlainObject {
  try {
    return planOf(struct).convert(value ?? {}, walk);
  } catch (error) {
    if (error !== MISMATCH) throw error;
    throw explain(node(), struct).error ?? new DecodeError('mismatch', `Cannot decode ${struct.shortName}`);
  }
}
