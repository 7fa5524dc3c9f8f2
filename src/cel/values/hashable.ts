import { Breakdown } from './failure.ts';
import { Opaque } from './opaque.ts';
import type { Value } from './value.ts';

/** Throws for keys and set members at which Kubernetes' implementation panics as well. */
export function requireHashable(value: Value): void {
  if (!(value instanceof Uint8Array) && !(value instanceof Opaque && value.isUnhashable)) return;
  throw new Breakdown(
    `internal error: runtime error: hash of unhashable type ${value instanceof Opaque ? value.goName : 'types.Bytes'}`,
  );
}
