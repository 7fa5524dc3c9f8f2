import type { LiteralValue } from './expr.ts';
import { LiteralError, readBytes, readString } from './literals.ts';
import { Token, type TokenKind } from './token.ts';

/** The literal, or what is wrong with it; undefined when the token is none. */
export function readLiteral(kind: TokenKind, text: string, sign: string): LiteralValue | string | undefined {
  try {
    switch (kind) {
      case Token.int: {
        const value = sign === '' ? BigInt(text) : -BigInt(text);
        return BigInt.asIntN(64, value) === value ? { kind: 'int', value: shortInt(value) } : 'invalid int literal';
      }
      case Token.uint: {
        const value = BigInt(text.slice(0, -1));
        return BigInt.asUintN(64, value) === value ? { kind: 'uint', value } : 'invalid uint literal';
      }
      case Token.float: {
        const value = Number(sign + text);
        return Number.isFinite(value) ? { kind: 'double', value } : 'invalid double literal';
      }
      case Token.string:
        return { kind: 'string', value: readString(text) };
      case Token.bytes:
        return { kind: 'bytes', value: readBytes(text.slice(1)) };
      case Token.true:
      case Token.false:
        return { kind: 'bool', value: kind === Token.true };
      case Token.null:
        return { kind: 'null' };
      default:
        return undefined;
    }
  } catch (error) {
    if (error instanceof LiteralError) return error.message;
    throw error;
  }
}

/** A number where that is exact, else the bigint. */
function shortInt(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
