import type { Struct } from '../schema/schema.ts';
import type { DecodeError } from './decode-error.ts';
import { GoAbort, GoDecoder, type StrictProblem } from './go-decoder.ts';
import type { JsonNode } from './json-node.ts';

export interface Explanation {
  /** What Kubernetes says about a body that cannot be decoded into the type. */
  readonly error: DecodeError | undefined;
  /** Unknown and duplicate fields, in the order in which Kubernetes names them, and at most as many. */
  readonly problems: readonly StrictProblem[];
}

/** Decodes once more, the way Go does it, to find out what Kubernetes would say. Only bad bodies come here. */
export function explain(node: JsonNode, struct: Struct): Explanation {
  const decoder = new GoDecoder({ isStrict: true });
  try {
    decoder.decodeRoot(node, struct);
  } catch (error) {
    if (!(error instanceof GoAbort)) throw error;
    return { error: error.reason, problems: [] };
  }
  return { error: decoder.firstError, problems: decoder.problems };
}
