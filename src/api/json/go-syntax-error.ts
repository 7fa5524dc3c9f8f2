import { quoteGo } from '../values/index.ts';
import { DecodeError } from '../../base/index.ts';

/** The error of Go's JSON scanner for an unexpected byte. */
export function unexpectedByte(byte: number, context: string): DecodeError {
  return new DecodeError('syntax', `invalid character ${quoteByte(byte)} ${context}`);
}

export function unexpectedEnd(): DecodeError {
  return new DecodeError('syntax', 'unexpected end of JSON input');
}

/** A byte in single quotes; from 0x80 on, the character of that code point, whatever it was part of. */
function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${quoteGo(String.fromCharCode(byte)).slice(1, -1)}'`;
}
