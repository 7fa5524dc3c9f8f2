import type { OpenedValue } from '../../apiserver/index.ts';

/** One way to encrypt values, under a prefix that says which. Values are bound to their key where the way allows it. */
export interface Provider {
  /** What stored values of this provider begin with; `seal` and `open` know nothing of it. */
  readonly prefix: string;
  seal(value: Uint8Array, key: string): Uint8Array;
  open(value: Uint8Array, key: string): OpenedValue | Promise<OpenedValue>;
}

/** A value that is read as it would be written. */
export function fresh(value: Uint8Array): OpenedValue {
  return { value, isStale: false };
}

export const TOO_SHORT = 'the stored data was shorter than the required size';
