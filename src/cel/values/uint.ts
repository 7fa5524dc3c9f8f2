import { Boxed, type Type, UINT } from '../type-terms/index.ts';
import { CelError } from './failure.ts';

const MAX_UINT = 2n ** 64n - 1n;

/** An unsigned 64-bit integer. */
export class Uint extends Boxed {
  readonly value: bigint;

  constructor(value: bigint) {
    super();
    this.value = value;
  }

  get goName(): string {
    return 'types.Uint';
  }

  override get type(): Type {
    return UINT;
  }
}

/** The unsigned integer, or the error that it is none. */
export function checkedUint(value: bigint): Uint | CelError {
  return value < 0n || value > MAX_UINT ? new CelError('unsigned integer overflow') : new Uint(value);
}

/** An unsigned integer from a double, rounded towards zero. */
export function doubleToUint(value: number): Uint | CelError {
  if (!(value >= 0 && value < 18446744073709551616)) return new CelError('unsigned integer overflow');
  return new Uint(BigInt(Math.trunc(value)));
}
