import { Boxed, DURATION, type Type } from '../type-terms/index.ts';
import { CelError } from './failure.ts';
import { MAX_INT, MIN_INT } from './int.ts';
import { formatFixed } from './go-float.ts';

/** A duration in nanoseconds, which fit 64 bits. */
export class Duration extends Boxed {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    super();
    this.nanos = nanos;
  }

  get goName(): string {
    return 'types.Duration';
  }

  override get type(): Type {
    return DURATION;
  }

  /** Seconds as a floating-point number, computed as Go does. */
  get seconds(): number {
    return Number(this.nanos / 1_000_000_000n) + Number(this.nanos % 1_000_000_000n) / 1e9;
  }

  /** `90s`, `0.5s`. */
  override toString(): string {
    return `${formatFixed(this.seconds)}s`;
  }
}

export function checkedDuration(nanos: bigint): Duration | CelError {
  return nanos > MAX_INT || nanos < MIN_INT ? new CelError('duration overflow') : new Duration(nanos);
}
