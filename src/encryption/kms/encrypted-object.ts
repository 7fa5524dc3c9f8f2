import { fullyQualifiedDomainNameProblems } from '../../api/values/index.ts';
import { annotationEntries, annotationsField, annotationsOf } from '../../wire/kms/index.ts';
import { bytes, int64, MessageTable, text } from '../../wire/protobuf/index.ts';
import type { EncryptedKey } from './kms-service.ts';

/**
 * Whether an encrypted object holds the key itself, as servers before 1.29 wrote it, or the seed from which each
 * value's key is derived.
 */
export type KeyUse = 'key' | 'seed';

/** A stored value with the key it is encrypted with, which a plugin has encrypted. */
export interface EncryptedObject {
  readonly data: Uint8Array;
  readonly key: EncryptedKey;
  readonly use: KeyUse;
}

const table = new MessageTable({
  encryptedData: bytes(1),
  keyId: text(2),
  encryptedKey: bytes(3),
  annotations: annotationsField(4),
  keyType: int64(5),
});

const MAX_KEY_ID_BYTES = 1024;
const MAX_ENCRYPTED_KEY_BYTES = 1024;
const MAX_ANNOTATIONS_BYTES = 32 * 1024;

export function encodeEncryptedObject({ data, key, use }: EncryptedObject): Uint8Array {
  return table.encode({
    encryptedData: data,
    keyId: key.keyId,
    encryptedKey: key.ciphertext,
    annotations: annotationEntries(key.annotations),
    keyType: use === 'seed' ? 1 : 0,
  });
}

/** Throws for bytes that are not such an object, and for values that no plugin may return. */
export function decodeEncryptedObject(value: Uint8Array): EncryptedObject {
  const { encryptedData, keyId = '', encryptedKey, annotations, keyType = 0 } = table.decode(value);
  if (keyType !== 0 && keyType !== 1) throw new Error(`unknown encryptedDEKSourceType: ${keyType}`);
  const data = encryptedData ?? new Uint8Array();
  if (data.length === 0) throw new Error('encrypted data is empty');
  const key = { ciphertext: encryptedKey ?? new Uint8Array(), keyId, annotations: annotationsOf(annotations) };
  checkEncryptedKey(key);
  return { data, key, use: keyType === 1 ? 'seed' : 'key' };
}

/** Throws when an encrypted key is not a valid plugin answer. */
export function checkEncryptedKey({ ciphertext, keyId, annotations }: EncryptedKey): void {
  const failed = (what: string, why: string): Error => new Error(`failed to validate ${what}: ${why}`);
  if (ciphertext.length === 0) throw failed('encrypted DEK source', 'encrypted DEK source is empty');
  if (ciphertext.length > MAX_ENCRYPTED_KEY_BYTES) {
    const why = `encrypted DEK source is ${ciphertext.length} bytes, which exceeds the max size of ${MAX_ENCRYPTED_KEY_BYTES}`;
    throw failed('encrypted DEK source', why);
  }
  const problem = keyIdProblem(keyId);
  if (problem !== undefined) throw failed('key id', problem);
  const names = Object.keys(annotations);
  const bad = names.find((name) => fullyQualifiedDomainNameProblems(name).length > 0);
  if (bad !== undefined) throw failed('annotations', `annotations: Invalid value: ${JSON.stringify(bad)}`);
  const size = names.reduce((sum, name) => sum + Buffer.byteLength(name) + (annotations[name]?.length ?? 0), 0);
  if (size > MAX_ANNOTATIONS_BYTES) {
    const why = `total size of annotations is ${size}, which exceeds the max size of ${MAX_ANNOTATIONS_BYTES}`;
    throw failed('annotations', why);
  }
}

/** The problem with a key id. */
export function keyIdProblem(keyId: string): string | undefined {
  const size = Buffer.byteLength(keyId);
  if (size === 0) return 'keyID is empty';
  return size > MAX_KEY_ID_BYTES
    ? `keyID is ${size} bytes, which exceeds the max size of ${MAX_KEY_ID_BYTES}`
    : undefined;
}
