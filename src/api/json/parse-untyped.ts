import { explainUntyped } from './explain.ts';
import { JsonBody } from './json-body.ts';
import type { JsonNode } from './json-node.ts';
import { plainValue } from './plain-value.ts';
import { keepRaw } from './raw-json.ts';
import { MISMATCH, Walk } from './walk.ts';

/**
 * Parses JSON of no known type: integers beyond 2^53 are bigints if they fit 64 bits; of duplicate keys the last one wins.
 *
 * Throws a DecodeError in the words of Go's scanner, also for nesting that is too deep to be kept.
 */
export function parseUntyped(text: string | Uint8Array | JsonBody): unknown {
  const body = text instanceof JsonBody ? text : new JsonBody(text);
  if (!body.survey.isPlain) return untypedValue(body.node);
  return kept(body.takeValue(), { owns: true, node: () => body.node });
}

/** The same for nodes. */
export function untypedValue(node: JsonNode): unknown {
  return kept(plainValue(node, undefined), { owns: false, node: () => node });
}

function kept(value: unknown, { owns, node }: { readonly owns: boolean; readonly node: () => JsonNode }): unknown {
  try {
    return keepRaw(value, new Walk({ fills: false, owns }));
  } catch (error) {
    throw error === MISMATCH ? explainUntyped(node()) : error;
  }
}
