import { preservingShape } from '../schema/preserving-shape.ts';
import type { Shape, Struct } from '../schema/schema.ts';
import { compareUtf8, DecodeError } from '../../base/index.ts';
import { fieldErrorText } from '../field-error.ts';
import { Abort, toDecodeError } from './go-error.ts';
import { GoDecoder } from './go-decoder.ts';
import { checkScalar } from './go-scalars.ts';
import type { JsonNode } from './json-node.ts';
import { plainValue } from './plain-value.ts';
import { type StrictProblem, StrictProblems } from './strict-problem.ts';
import { keepSorted } from './raw-json.ts';
import { MAX_KEPT_DEPTH, Walk } from './walk.ts';

export interface Explanation {
  /** Kubernetes' error for a value that cannot be decoded into the type. */
  readonly error: DecodeError | undefined;
  /** Unknown and duplicate fields, in Kubernetes' order and up to its limit. */
  readonly problems: readonly StrictProblem[];
}

/** Decodes again in the way of Go, to find out what Kubernetes would report. Only used if something is wrong. */
export function explain(node: JsonNode, struct: Struct): Explanation {
  if (struct.isStructural === true) return explainStructural(node, struct);
  const decoder = new GoDecoder();
  try {
    decoder.decode(node, struct);
  } catch (error) {
    if (error instanceof Abort) return { error: toDecodeError(error.goError), problems: [] };
    if (error instanceof DecodeError) return { error, problems: [] };
    throw error;
  }
  const { firstError } = decoder;
  return {
    error: firstError === undefined ? undefined : toDecodeError(firstError),
    problems: decoder.problems.list,
  };
}

/** Of a structural type, only metadata must match its type; the schema validates the rest. */
function explainStructural(node: JsonNode, struct: Struct): Explanation {
  const found = new Finder();
  found.look(node, { kind: 'struct', struct }, '');
  let error = found.error ?? numberError(node);
  if (node.kind !== 'object' && node.kind !== 'null') {
    error = new DecodeError(
      'mismatch',
      `json: cannot unmarshal ${node.kind} into Go value of type map[string]interface {}`,
    );
  }
  return { error, problems: found.problems };
}

/** Kubernetes' error for untyped JSON that cannot be kept: only a number can be the reason. */
export function explainUntyped(node: JsonNode): DecodeError {
  return numberError(node) ?? new DecodeError('mismatch', 'Cannot decode JSON');
}

/** The error for a number that is too large for Go. */
function numberError(node: JsonNode): DecodeError | undefined {
  const goError = checkScalar(node, 'JSON', '');
  if (goError === undefined || 'message' in goError) return undefined;
  return toDecodeError({ kind: 'type', ...goError, place: { struct: '', fields: [] } });
}

/**
 * Finds duplicate and unknown fields in JSON of a structural type, and values of a wrong type in the metadata of the object
 * and of embedded objects.
 */
class Finder {
  readonly #duplicates = new StrictProblems();
  readonly #pruned = new StrictProblems(Number.POSITIVE_INFINITY);
  readonly #metadata: StrictProblem[] = [];
  readonly #embedded: StrictProblem[] = [];
  #error: DecodeError | undefined;
  #embeddedError: DecodeError | undefined;
  #depth = 0;

  /** Errors in the object itself come before those in embedded ones. */
  get error(): DecodeError | undefined {
    return this.#error ?? this.#embeddedError;
  }

  /**
   * In Kubernetes' order: duplicates as they occur, then unknown metadata, then what would be pruned, and last unknown
   * metadata of embedded objects, both in order of path.
   */
  get problems(): readonly StrictProblem[] {
    const byPath = (list: readonly StrictProblem[]): StrictProblem[] =>
      list.toSorted((left, right) => compareUtf8(left.path, right.path));
    return [...this.#duplicates.list, ...this.#metadata, ...byPath(this.#pruned.list), ...byPath(this.#embedded)];
  }

  /** `kept`: everything here is preserved; `gone`: it is pruned with its parent. */
  look(node: JsonNode, shape: Shape | 'kept' | 'gone', path: string): void {
    if (this.#depth > MAX_KEPT_DEPTH) return; // deeper than anything that is kept
    this.#depth += 1;
    this.#lookInto(node, shape, path);
    this.#depth -= 1;
  }

  #lookInto(node: JsonNode, shape: Shape | 'kept' | 'gone', path: string): void {
    if (node.kind === 'array') {
      const element = typeof shape === 'string' ? shape : itemOf(shape);
      for (const [index, item] of node.items.entries()) this.look(item, element, `${path}[${index}]`);
    }
    if (node.kind !== 'object') return;
    const keys = new Set<string>();
    for (const { key, value } of node.entries) {
      if (keys.has(key)) this.#duplicates.add('duplicate', path, key);
      keys.add(key);
      this.#member(value, shape, { path, key });
    }
  }

  #member(
    node: JsonNode,
    around: Shape | 'kept' | 'gone',
    { path, key }: { readonly path: string; readonly key: string },
  ): void {
    const at = path === '' ? key : `${path}.${key}`;
    const shape = typeof around === 'string' ? around : memberOf(around, key);
    if (shape === undefined) this.#pruned.add('unknown', path, key);
    if (typeof shape === 'object' && shape.kind === 'struct' && shape.struct.isStructural !== true) {
      this.#judgeMetadata(node, shape.struct, at);
      this.look(node, 'kept', at);
      return;
    }
    if (path !== '' && isEmbedded(around) && (key === 'apiVersion' || key === 'kind'))
      this.#judgeText(node, around, { at, key });
    this.look(node, shape ?? 'gone', at);
  }

  #judgeMetadata(node: JsonNode, struct: Struct, at: string): void {
    const { error, problems } = explain(node, struct);
    const unknown = problems.filter(({ kind }) => kind === 'unknown');
    const isOutermost = at === 'metadata';
    const list = isOutermost ? this.#metadata : this.#embedded;
    list.push(...unknown.map((problem) => ({ ...problem, path: `${at}.${problem.path}` })));
    if (error === undefined) return;
    if (isOutermost) this.#error ??= error;
    else this.#embeddedError ??= wrongPart(at, node, error.message);
  }

  /** Null is pruned before this check if the schema has the field. */
  #judgeText(node: JsonNode, around: Shape, { at, key }: { readonly at: string; readonly key: string }): void {
    const isNamed = around.kind === 'struct' && around.struct.field(key)?.isImplied !== true;
    if (node.kind === 'string' || (node.kind === 'null' && isNamed)) return;
    this.#embeddedError ??= wrongPart(at, node, 'must be a string');
  }
}

function isEmbedded(shape: Shape | 'kept' | 'gone'): shape is Shape {
  return typeof shape === 'object' && shape.constraints?.isEmbedded === true;
}

function wrongPart(at: string, node: JsonNode, detail: string): DecodeError {
  const value = keepSorted(plainValue(node, undefined), new Walk({ fills: false, owns: false }));
  return new DecodeError('mismatch', fieldErrorText({ reason: 'FieldValueInvalid', field: at, value, detail }));
}

const UNDESCRIBED: Shape = { kind: 'scalar', scalar: 'JSON' };

/** The shape of an item. */
function itemOf(shape: Shape): Shape | 'kept' {
  const preserves = shape.constraints?.preservesUnknown === true;
  if (shape.kind === 'list') return preserves ? preservingShape(shape.element) : shape.element;
  return preserves ? 'kept' : UNDESCRIBED;
}

/** The shape of a member; undefined if it is pruned. */
function memberOf(shape: Shape, key: string): Shape | 'kept' | undefined {
  if (shape.kind === 'map') return shape.value;
  const field = shape.kind === 'struct' ? shape.struct.field(key) : undefined;
  if (field !== undefined) return field.shape;
  const preserves = shape.kind === 'struct' ? shape.struct.preservesUnknown : shape.constraints?.preservesUnknown;
  return preserves === true ? 'kept' : undefined;
}
