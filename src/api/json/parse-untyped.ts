import { explainUntyped } from './explain.ts';
import { JsonBody } from './json-body.ts';
import { plainValue } from './plain-value.ts';
import { keepRaw } from './raw-json.ts';
import { MISMATCH, Walk } from './walk.ts';

/**
 * Parses JSON that no type is known for: integers beyond 2^53 are bigints if they fit 64 bits, of duplicate keys the
 * last one counts.
 *
 * Ends: with a DecodeError in the words of Go's scanner.
 */
export function parseUntyped(text: string | Uint8Array): unknown {
  const body = new JsonBody(text);
  const walk = new Walk({ fills: false, owns: body.survey.isPlain });
  try {
    return keepRaw(body.survey.isPlain ? body.takeValue() : plainValue(body.node, undefined), walk);
  } catch (error) {
    throw error === MISMATCH ? explainUntyped(body.node) : error;
  }
}
