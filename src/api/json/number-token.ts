/**
 * A number as it was written, where a JavaScript number would not tell: one with a fraction or an exponent (Go takes
 * neither for an integer, not even `1.0`), and integers beyond 2^53. Only the exact parser makes them, and canonical
 * values have none left: an int64 beyond 2^53 becomes a bigint there, everything else a number.
 */
export class NumberToken {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** A double, or nothing when it is too large for one. */
  toDouble(): number | undefined {
    const value = Number(this.text);
    return Number.isFinite(value) ? value : undefined;
  }

  /** A 64-bit integer, or nothing when it is not written as one or too large. */
  toInt64(): number | bigint | undefined {
    if (!INTEGER.test(this.text)) return undefined;
    const value = BigInt(this.text);
    return BigInt.asIntN(64, value) === value ? shortest(value) : undefined;
  }

  /** What it is where no type says what it should be: an integer if it is written as one and fits 64 bits, else a double. */
  toUntyped(): number | bigint | undefined {
    return this.toInt64() ?? this.toDouble();
  }
}

const INTEGER = /^-?\d{1,20}$/;

/** A number where that is exact, else a bigint: the form that 64-bit integers have in canonical values. */
export function shortest(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number + 0 : value;
}

/** An integer beyond 2^53 that is a number, in that form: the bigint of the same text, if it fits 64 bits. */
export function lengthen(value: number): number | bigint {
  return new NumberToken(String(value)).toInt64() ?? value;
}
