import { internalError, type StatusError } from '../../api/index.ts';

/** A value as it was before it was transformed for the store. */
export interface OpenedValue {
  readonly value: Uint8Array;
  /** It would be stored otherwise today, and is when it is next written, whether or not that changes it. */
  readonly isStale: boolean;
}

/**
 * Turns the values of one kind into what lies in the store, and back. Values are bound to their keys. What throws, or rejects, tells
 * the client why in the words of kube-apiserver.
 */
export interface ValueTransformer {
  /** Changes whenever the same stored value may be opened otherwise than before. */
  readonly generation: number;
  toStorage(value: Uint8Array, key: string): Uint8Array;
  /** Without a promise where nobody else has to be asked. */
  fromStorage(value: Uint8Array, key: string): OpenedValue | Promise<OpenedValue>;
}

const ENCRYPTED = Buffer.from('k8s:enc:');

/** Whether a stored value is encrypted, whoever can open it: no encoding of objects begins like that. */
export function isEncrypted(value: Uint8Array): boolean {
  return value[3] === ENCRYPTED[3] && ENCRYPTED.every((byte, index) => value[index] === byte);
}

/** What is told of an encrypted value where there are no keys. */
export const ENCRYPTED_DATA = 'identity transformer tried to read encrypted data';

/** What a client is told when a value cannot be opened: of the only one asked for, or of one in a list. */
export function unreadable(error: unknown, keyInList?: string): StatusError {
  if (keyInList === undefined) return internalError(error);
  const message = error instanceof Error ? error.message : String(error);
  return internalError(new Error(`unable to transform key ${JSON.stringify(keyInList)}: ${message}`, { cause: error }));
}
