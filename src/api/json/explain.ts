import type { Shape, Struct } from '../schema/schema.ts';
import { DecodeError } from '../../base/index.ts';
import { Abort, toDecodeError } from './go-error.ts';
import { GoDecoder } from './go-decoder.ts';
import { checkScalar } from './go-scalars.ts';
import type { JsonNode } from './json-node.ts';
import { type StrictProblem, StrictProblems } from './strict-problem.ts';
import { MAX_KEPT_DEPTH } from './walk.ts';

export interface Explanation {
  /** What Kubernetes says about a value that cannot be decoded into the type. */
  readonly error: DecodeError | undefined;
  /** Unknown and duplicate fields, in the order in which Kubernetes names them, and no more than it names. */
  readonly problems: readonly StrictProblem[];
}

/** Decodes once more, the way Go does it, to find out what Kubernetes would say. Only where something is wrong. */
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

/** Of a structural type only the metadata has to be as it should; the schema judges the rest. */
function explainStructural(node: JsonNode, struct: Struct): Explanation {
  let error: DecodeError | undefined;
  const problems = structuralProblems(node, struct, (metadata, type) => {
    const explained = explain(metadata, type);
    error ??= explained.error;
    return explained.problems;
  });
  if (node.kind !== 'object' && node.kind !== 'null') {
    error = new DecodeError(
      'mismatch',
      `json: cannot unmarshal ${node.kind} into Go value of type map[string]interface {}`,
    );
  }
  return { error, problems };
}

/** What Kubernetes says about JSON of no type that cannot be kept: only a number can be the reason. */
export function explainUntyped(node: JsonNode): DecodeError {
  const goError = checkScalar(node, 'JSON', '');
  const place = { struct: '', fields: [] };
  return goError === undefined || 'message' in goError
    ? new DecodeError('mismatch', 'Cannot decode JSON')
    : toDecodeError({ kind: 'type', ...goError, place });
}

/** Judges the metadata of a resource, which is typed, with problems told by their paths inside it. */
type JudgeMetadata = (node: JsonNode, struct: Struct) => readonly StrictProblem[];

/**
 * Duplicate and unknown fields in JSON of a structural type, as Kubernetes names them: duplicates as they come, then what
 * metadata does not have, then what would be pruned, in order of path.
 */
function structuralProblems(node: JsonNode, struct: Struct, judgeMetadata: JudgeMetadata): readonly StrictProblem[] {
  const found = new Finder(judgeMetadata);
  found.look(node, { kind: 'struct', struct }, '');
  const pruned = found.pruned.list.toSorted((left, right) => (left.path < right.path ? -1 : 1));
  return [...found.duplicates.list, ...found.metadata, ...pruned];
}

class Finder {
  readonly duplicates = new StrictProblems();
  readonly pruned = new StrictProblems();
  readonly metadata: StrictProblem[] = [];
  readonly #judgeMetadata: JudgeMetadata;
  #depth = 0;

  constructor(judgeMetadata: JudgeMetadata) {
    this.#judgeMetadata = judgeMetadata;
  }

  /** `kept`: everything here is preserved; `gone`: it has been pruned with what is around it. */
  look(node: JsonNode, shape: Shape | 'kept' | 'gone', path: string): void {
    if (this.#depth > MAX_KEPT_DEPTH) return; // deeper than anything that is kept
    this.#depth += 1;
    this.#lookInto(node, shape, path);
    this.#depth -= 1;
  }

  #lookInto(node: JsonNode, shape: Shape | 'kept' | 'gone', path: string): void {
    if (node.kind === 'array') {
      const element = typeof shape === 'string' ? shape : shape.kind === 'list' ? shape.element : UNDESCRIBED;
      for (const [index, item] of node.items.entries()) this.look(item, element, `${path}[${index}]`);
    }
    if (node.kind !== 'object') return;
    const keys = new Set<string>();
    for (const { key, value } of node.entries) {
      if (keys.has(key)) this.duplicates.add('duplicate', path, key);
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
    if (shape === undefined) this.pruned.add('unknown', path, key);
    if (typeof shape === 'object' && shape.kind === 'struct' && shape.struct.isStructural !== true) {
      const problems = this.#judgeMetadata(node, shape.struct).filter(({ kind }) => kind === 'unknown');
      this.metadata.push(...problems.map((problem) => ({ ...problem, path: `${at}.${problem.path}` })));
      this.look(node, 'kept', at);
    } else {
      this.look(node, shape ?? 'gone', at);
    }
  }
}

const UNDESCRIBED: Shape = { kind: 'scalar', scalar: 'JSON' };

/** What is known of a member; undefined when it is pruned. */
function memberOf(shape: Shape, key: string): Shape | 'kept' | undefined {
  if (shape.kind === 'map') return shape.value;
  const field = shape.kind === 'struct' ? shape.struct.field(key) : undefined;
  if (field !== undefined) return field.shape;
  const preserves = shape.kind === 'struct' ? shape.struct.preservesUnknown : shape.constraints?.preservesUnknown;
  return preserves === true ? 'kept' : undefined;
}
