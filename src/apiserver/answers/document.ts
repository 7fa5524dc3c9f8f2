import { Buffer } from 'node:buffer';
import { encodeJson, encodePrettyJson, encodeYaml } from '../../api/index.ts';

/** How to encode a value that has no protobuf form. */
export interface TextForm {
  readonly format: 'json' | 'yaml';
  readonly isPretty: boolean;
}

/** Encodes a value as text. JSON ends with a line feed unless it is indented, as in Kubernetes. */
export function encodeDocument(value: unknown, { format, isPretty }: TextForm): Uint8Array {
  if (format === 'yaml') return Buffer.from(encodeYaml(value));
  return Buffer.from(isPretty ? encodePrettyJson(value) : `${encodeJson(value)}\n`);
}
