import { quoteGo } from '../values/index.ts';
import { DecodeError } from '../../base/index.ts';

/** What Go's JSON scanner says about a byte where it does not belong. */
export function unexpectedByte(byte: number, context: string): DecodeError {
  return new DecodeError('syntax', `invalid character ${quoteByte(byte)} ${context}`);
}

export function unexpectedEnd(): DecodeError {
  return new DecodeError('syntax', 'unexpected end of JSON input');
}

/** A byte in single quotes; from 0x80 on it is shown as the character of that code point, whatever it was part of. */
function quoteByte(byte: number): string {
  if (byte === 0x27) return "'\\''";
  if (byte === 0x22) return "'\"'";
  return `'${quoteGo(String.fromCharCode(byte)).slice(1, -1)}'`;
}
