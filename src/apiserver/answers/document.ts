import { Buffer } from 'node:buffer';
import { encodeJson, encodePrettyJson, encodeYaml } from '../../api/index.ts';

/** How a value without a protobuf form is written. */
export interface TextForm {
  readonly format: 'json' | 'yaml';
  readonly isPretty: boolean;
}

/** A value as text. JSON ends with a line feed unless it is indented, as Kubernetes has it. */
export function encodeDocument(value: unknown, { format, isPretty }: TextForm): Uint8Array {
  if (format === 'yaml') return Buffer.from(encodeYaml(value));
  return Buffer.from(isPretty ? encodePrettyJson(value) : `${encodeJson(value)}\n`);
}
