import { isUtf8 } from 'node:buffer';
import { allAtOnce, type Steps } from '../../base/index.ts';
import type { JsonNode } from '../json/json-node.ts';
import { yamlError } from './go-yaml-error.ts';
import { yamlParsing } from './yaml-node.ts';
import { yamlToJson, type YamlJson } from './yaml-to-json.ts';

/** The JSON nodes of a YAML text, for callers that decode it into no type. Of several documents the first one is used. */
export function parseYaml(text: string): JsonNode {
  return allAtOnce(yamlJson(text)).node;
}

/** The same in steps, with its duplicate keys. */
export function* yamlJson(text: string | Uint8Array): Steps<YamlJson> {
  const decoded = decodeText(text);
  if (CONTROL.test(decoded)) throw yamlError('control characters are not allowed');
  const { node, text: parsed } = yield* yamlParsing(decoded);
  yield;
  return yield* yamlToJson(node, parsed);
}

/** What Go's YAML reader refuses; other control characters are found by the parser. */
const CONTROL = /[\u007f\u0080-\u0084\u0086-\u009f]/;

function decodeText(bytes: string | Uint8Array): string {
  if (typeof bytes === 'string') return bytes;
  if (!isUtf8(bytes)) throw yamlError('invalid leading UTF-8 octet');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
