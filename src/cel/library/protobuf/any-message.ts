import { type CelError, unconvertible, type Value } from '../../values/index.ts';
import { MESSAGE } from './field-conversion.ts';

/**
 * `google.protobuf.Any{…}`: the error for an unknown message type. (Kubernetes can unpack protobuf's own messages. They
 * are much easier to write unpacked, so we do not support that.)
 */
export function unknownMessage(typeUrl: string, content: Uint8Array): CelError {
  const fields = [
    ...(typeUrl === '' ? [] : [`type_url:"${escaped(typeUrl)}"`]),
    ...(content.length === 0 ? [] : [`value:"${escapedBytes(content)}"`]),
  ];
  return unconvertible(MESSAGE, fields.join(' '));
}

const NAMED: Readonly<Record<string, string>> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escaped(text: string): string {
  return text.replaceAll(/["\\\x00-\x1f\x7f]/g, (letter) => NAMED[letter] ?? hexadecimal(letter.charCodeAt(0)));
}

function hexadecimal(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** The bytes as text where they are valid UTF-8, escaped elsewhere. */
function escapedBytes(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length;) {
    const length = characterLength(bytes, at);
    text +=
      length === 0 ? hexadecimal(bytes[at] as number) : escaped(decode(bytes.subarray(at, at + length)) as string);
    at += Math.max(length, 1);
  }
  return text;
}

function characterLength(bytes: Uint8Array, at: number): number {
  return [1, 2, 3, 4].find((length) => decode(bytes.subarray(at, at + length)) !== undefined) ?? 0;
}

function decode(bytes: Uint8Array): string | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.includes('\ufffd') ? undefined : text;
}

/** The message from the fields that are set. */
export function anyMessage(fields: ReadonlyMap<string, Value>): CelError {
  const typeUrl = (fields.get('type_url') ?? '') as string;
  return unknownMessage(typeUrl, (fields.get('value') ?? new Uint8Array()) as Uint8Array);
}
