/**
 * A number as written, if a JavaScript number would lose something: one with a fraction or an exponent (Go accepts neither
 * as an integer, not even `1.0`), and integers beyond 2^53. Only the exact parser makes them, and canonical values contain
 * none: there an int64 beyond 2^53 is a bigint, everything else a number.
 */
export class NumberToken {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** A double; undefined if it is too large. */
  toDouble(): number | undefined {
    const value = Number(this.text);
    return Number.isFinite(value) ? value : undefined;
  }

  /** A 64-bit integer; undefined if it is not written as one or is too large. */
  toInt64(): number | bigint | undefined {
    if (!INTEGER.test(this.text)) return undefined;
    const value = BigInt(this.text);
    return BigInt.asIntN(64, value) === value ? shortest(value) : undefined;
  }

  /** Its value if no type is known: an integer if it is written as one and fits 64 bits, otherwise a double. */
  toUntyped(): number | bigint | undefined {
    return this.toInt64() ?? this.toDouble();
  }
}

const INTEGER = /^-?\d{1,20}$/;

/** A number if that is exact, otherwise a bigint: the form of 64-bit integers in canonical values. */
export function shortest(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number + 0 : value;
}

/** Turns a number beyond 2^53 into the bigint of the same text, if it fits 64 bits. */
export function lengthen(value: number): number | bigint {
  return new NumberToken(String(value)).toInt64() ?? value;
}
