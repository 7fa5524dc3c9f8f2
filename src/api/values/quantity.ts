import {
  addAmounts,
  compareAmounts,
  fitInt64,
  MAX_POWER,
  powerOfTen,
  shift,
  smallValue,
  wideValue,
  type Amount,
} from './quantity-amount.ts';
import { printAmount, type QuantityFormat } from './quantity-format.ts';

/** An exact amount of a resource, such as `100m` or `64Mi`. Immutable. Made by `parseQuantity` and similar functions. */
export class Quantity {
  readonly format: QuantityFormat;
  readonly #amount: Amount;
  #text: string | undefined;

  /** `text` is the canonical form, if known. */
  constructor(amount: Amount, format: QuantityFormat, text?: string) {
    this.#amount = amount;
    this.format = format;
    this.#text = text;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    const { mantissa } = this.#amount;
    return mantissa === 0n ? 0 : mantissa < 0n ? -1 : 1;
  }

  /** Negative, 0 or positive if this is less than, equal to or more than `other`, whatever their notation. */
  compare(other: Quantity): number {
    return compareAmounts(this.#amount, other.#amount);
  }

  equals(other: Quantity): boolean {
    return this.compare(other) === 0;
  }

  /** The sum, in this quantity's format; in the other's if this is zero. */
  add(other: Quantity): Quantity {
    const format = this.sign === 0 ? other.format : this.format;
    return new Quantity(addAmounts(this.#amount, other.#amount), format);
  }

  sub(other: Quantity): Quantity {
    return this.add(other.neg());
  }

  neg(): Quantity {
    return new Quantity({ ...this.#amount, mantissa: -this.#amount.mantissa }, this.format);
  }

  /** The whole number of units, rounded up (away from zero). Exact up to 2^53. */
  value(): number {
    return Number(this.scaledValue(0));
  }

  /** The whole number of thousandths, rounded up (away from zero). Exact up to 2^53. */
  milliValue(): number {
    return Number(this.scaledValue(-3));
  }

  /** The 64-bit number of `10 ** scale` units, rounded up. Overflows give the same result as in Kubernetes. */
  scaledValue(scale: number): bigint {
    return this.#amount.isWide ? wideValue(this.#amount, scale) : smallValue(this.#amount, scale);
  }

  /** The amount if Kubernetes treats it as a 64-bit integer: neither `1500m` nor `1.000` is. */
  asInt64(): bigint | undefined {
    const { mantissa, scale, isWide } = this.#amount;
    if (isWide || scale < 0) return undefined;
    if (scale === 0 || mantissa === 0n) return mantissa;
    return scale > MAX_POWER ? undefined : fitInt64(shift(mantissa, scale));
  }

  /** The nearest floating-point number, by Kubernetes' fast method, which may be off in the last digit. */
  toNumber(): number {
    const { mantissa, scale } = this.#amount;
    return scale === 0 ? Number(mantissa) : Number(mantissa) * powerOfTen(scale);
  }

  /** The canonical form, as the API server prints it. */
  toString(): string {
    this.#text ??= printAmount(this.#amount, this.format);
    return this.#text;
  }

  toJSON(): string {
    return this.toString();
  }
}

/** A whole number of units. */
export function quantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return new Quantity(wholeAmount(BigInt(value), 0), format);
}

/** A whole number of thousandths. */
export function milliQuantityOf(value: number | bigint, format: QuantityFormat = 'DecimalSI'): Quantity {
  return new Quantity(wholeAmount(BigInt(value), -3), format);
}

function wholeAmount(mantissa: bigint, scale: number): Amount {
  return { mantissa, scale, isWide: fitInt64(mantissa) === undefined };
}
