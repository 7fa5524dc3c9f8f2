import { Breakdown, goTypeName, Opaque, type Value } from '../values/index.ts';

/** Keys and members of sets over which Kubernetes' implementation breaks down, and so do we. */
export function requireHashable(value: Value): void {
  if (!(value instanceof Uint8Array) && !(value instanceof Opaque && value.isUnhashable)) return;
  throw new Breakdown(`internal error: runtime error: hash of unhashable type ${goTypeName(value)}`);
}
