import type { Struct } from '../schema/schema.ts';
import { DecodeError } from '../../base/index.ts';
import { Abort, toDecodeError } from './go-failure.ts';
import { GoDecoder } from './go-decoder.ts';
import { checkScalar } from './go-scalars.ts';
import type { JsonNode } from './json-node.ts';
import { structuralProblems } from './structural-problems.ts';
import type { StrictProblem } from './strict-problem.ts';

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
    if (error instanceof Abort) return { error: toDecodeError(error.failure), problems: [] };
    if (error instanceof DecodeError) return { error, problems: [] };
    throw error;
  }
  const { firstFailure } = decoder;
  return {
    error: firstFailure === undefined ? undefined : toDecodeError(firstFailure),
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
  const failure = checkScalar(node, 'JSON', '');
  const place = { struct: '', fields: [] };
  return failure === undefined || 'message' in failure
    ? new DecodeError('mismatch', 'Cannot decode JSON')
    : toDecodeError({ kind: 'type', ...failure, place });
}
