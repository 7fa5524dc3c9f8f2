import { Breakdown } from './failure.ts';
import { Opaque } from './opaque.ts';
import type { Value } from './value.ts';

/** Keys and members of sets over which Kubernetes' implementation breaks down, and so do we. */
export function requireHashable(value: Value): void {
  if (!(value instanceof Uint8Array) && !(value instanceof Opaque && value.isUnhashable)) return;
  throw new Breakdown(
    `internal error: runtime error: hash of unhashable type ${value instanceof Opaque ? value.goName : 'types.Bytes'}`,
  );
}
