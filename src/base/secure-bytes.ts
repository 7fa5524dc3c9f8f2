import { randomBytes } from 'node:crypto';

/** Unpredictable, unique bytes for keys and nonces: never from a seed, not even in tests. */
export function secureBytes(count: number): Uint8Array {
  return randomBytes(count);
}
