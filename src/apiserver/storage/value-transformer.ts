import { internalError, type StatusError } from '../../api/index.ts';

/** A value before it was transformed for the store. */
export interface OpenedValue {
  readonly value: Uint8Array;
  /** Whether writing it now would store other bytes; then the next write stores it, even when nothing has changed. */
  readonly isStale: boolean;
}

/**
 * Transforms the values of one kind for the store, and back. Values are bound to their keys. Errors have kube-apiserver's messages for
 * clients.
 */
export interface ValueTransformer {
  /** Changes whenever decrypting a stored value may have another result than before. */
  readonly generation: number;
  toStorage(value: Uint8Array, key: string): Uint8Array;
  /** Synchronous when no remote key service is needed. */
  fromStorage(value: Uint8Array, key: string): OpenedValue | Promise<OpenedValue>;
}

const ENCRYPTED = Buffer.from('k8s:enc:');

/** Whether a stored value is encrypted, with any key: no encoding of objects begins like that. */
export function isEncrypted(value: Uint8Array): boolean {
  return value[3] === ENCRYPTED[3] && ENCRYPTED.every((byte, index) => value[index] === byte);
}

/** The error for an encrypted value when there are no keys. */
export const ENCRYPTED_DATA = 'identity transformer tried to read encrypted data';

/** The error for a client when a value cannot be decrypted: of a single object, or of one in a list. */
export function unreadable(error: unknown, keyInList?: string): StatusError {
  if (keyInList === undefined) return internalError(error);
  const message = error instanceof Error ? error.message : String(error);
  return internalError(new Error(`unable to transform key ${JSON.stringify(keyInList)}: ${message}`, { cause: error }));
}
