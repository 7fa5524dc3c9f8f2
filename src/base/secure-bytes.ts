import { randomBytes } from 'node:crypto';

/** Bytes for keys and nonces, which nobody may guess and nothing may repeat: they never come from a seed, not even in tests. */
export function secureBytes(count: number): Uint8Array {
  return randomBytes(count);
}
