import { unreachable } from '../../base/index.ts';
import type { ScalarName } from '../schema/schema.ts';
import { canonicalMicroTime, canonicalQuantity, canonicalTime, decodeBase64, ValueError } from '../values/index.ts';
import type { JsonNode } from './json-node.ts';
import { NumberToken } from './number-token.ts';
import { canonicalDuration } from './scalar-rules.ts';

/** The error of a scalar: a JSON value of the wrong type, or a message. `isFinal` ends decoding. */
export type ScalarError =
  | { readonly value: string; readonly type: string; readonly isFinal: boolean }
  | { readonly message: string; readonly isFinal: boolean };

export type CheckedScalar = Exclude<ScalarName, `JSONSchemaPropsOr${string}`>;

/** Checks a value, not null, as Go decodes it; `type` is the scalar's Go name. */
export function checkScalar(node: JsonNode, scalar: CheckedScalar, type: string): ScalarError | undefined {
  switch (scalar) {
    case 'string':
      return node.kind === 'string' ? undefined : wrong(node.kind, type);
    case 'bool':
      return node.kind === 'bool' ? undefined : wrong(node.kind, type);
    case 'int32':
      return checkInteger(node, type, 32);
    case 'int64':
      return checkInteger(node, type, 64);
    case 'double':
      return checkDouble(node, type);
    case 'bytes':
      return checkBytes(node, type);
    case 'Quantity':
      return checkText(canonicalQuantity(sourceOf(node)));
    case 'Time':
      return checkString(node, canonicalTime);
    case 'MicroTime':
      return checkString(node, canonicalMicroTime);
    case 'Duration':
      return checkString(node, canonicalDuration);
    case 'IntOrString':
      return node.kind === 'string' ? undefined : final(checkInteger(node, 'int32', 32));
    case 'JSON':
    case 'RawExtension':
    case 'FieldsV1':
      return checkNumbers(node);
    default:
      return unreachable(scalar);
  }
}

function checkInteger(node: JsonNode, type: string, bits: number): ScalarError | undefined {
  if (node.kind !== 'number') return wrong(node.kind, type);
  const number = new NumberToken(node.text).toInt64();
  const isInRange = number !== undefined && BigInt.asIntN(bits, BigInt(number)) === BigInt(number);
  return isInRange ? undefined : wrong(`number ${node.text}`, type);
}

function checkDouble(node: JsonNode, type: string): ScalarError | undefined {
  if (node.kind !== 'number') return wrong(node.kind, type);
  return new NumberToken(node.text).toDouble() === undefined ? wrong(`number ${node.text}`, type) : undefined;
}

/** Base64 in a string, or a list of numbers. */
function checkBytes(node: JsonNode, type: string): ScalarError | undefined {
  if (node.kind === 'string') {
    const bytes = decodeBase64(node.value);
    return bytes instanceof ValueError ? { message: bytes.message, isFinal: false } : undefined;
  }
  if (node.kind !== 'array') return wrong(node.kind, type);
  for (const item of node.items) {
    if (item.kind === 'null') continue;
    if (item.kind !== 'number') return wrong(item.kind, 'uint8');
    const isByte = /^\d{1,3}$/.test(item.text) && Number(item.text) <= 255;
    if (!isByte) return wrong(`number ${item.text}`, 'uint8');
  }
  return undefined;
}

/** Reads a string, then parses its text. */
function checkString(node: JsonNode, read: (text: string) => string | null | ValueError): ScalarError | undefined {
  if (node.kind !== 'string') return { value: node.kind, type: 'string', isFinal: true };
  return checkText(read(node.value));
}

function checkText(result: string | null | ValueError): ScalarError | undefined {
  return result instanceof ValueError ? { message: result.message, isFinal: true } : undefined;
}

/** Raw JSON is kept as it is; only numbers that cannot be kept are refused, as Go does where it decodes them. */
function checkNumbers(node: JsonNode): ScalarError | undefined {
  if (node.kind === 'number') return final(checkDouble(node, 'float64'));
  const children =
    node.kind === 'array' ? node.items : node.kind === 'object' ? node.entries.map((entry) => entry.value) : [];
  for (const child of children) {
    const goError = checkNumbers(child);
    if (goError !== undefined) return goError;
  }
  return undefined;
}

/** The text that a quantity is parsed from: a string without its quotes, or the JSON text. */
function sourceOf(node: JsonNode): string {
  if (node.kind === 'string' || node.kind === 'bool') return String(node.value);
  return node.kind === 'number' ? node.text : '{}';
}

function wrong(value: string, type: string): ScalarError {
  return { value, type, isFinal: false };
}

function final(goError: ScalarError | undefined): ScalarError | undefined {
  return goError === undefined ? undefined : { ...goError, isFinal: true };
}
