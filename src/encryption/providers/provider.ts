import type { OpenedValue } from '../../apiserver/index.ts';

/**
 * One way to encrypt values, identified by a prefix. Values are bound to their store key where the algorithm allows it.
 */
export interface Provider {
  /** Prefix of this provider's stored values; `seal` and `open` work without it. */
  readonly prefix: string;
  seal(value: Uint8Array, key: string): Uint8Array;
  open(value: Uint8Array, key: string): OpenedValue | Promise<OpenedValue>;
}

/** A value that need not be rewritten. */
export function fresh(value: Uint8Array): OpenedValue {
  return { value, isStale: false };
}

export const TOO_SHORT = 'the stored data was shorter than the required size';
