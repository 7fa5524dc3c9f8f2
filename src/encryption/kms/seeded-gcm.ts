import { createHmac } from 'node:crypto';
import { secureBytes } from '../../base/index.ts';
import { openGcm, sealGcm } from '../providers/aes.ts';
import { TOO_SHORT } from '../providers/provider.ts';
import type { KeyUse } from './encrypted-object.ts';

export const SEED_BYTES = 32;
const INFO_BYTES = 32;

/** Encrypts values with keys derived from one secret. */
export interface DataKey {
  seal(value: Uint8Array, key: string): Uint8Array;
  open(value: Uint8Array, key: string): Uint8Array;
}

/** A usable key from what a plugin has decrypted. */
export function dataKey(secret: Uint8Array, use: KeyUse): DataKey {
  if (use === 'key') {
    if (![16, 24, 32].includes(secret.length)) throw new Error(`crypto/aes: invalid key size ${secret.length}`);
    return {
      seal: (value, key) => sealGcm(value, secret, Buffer.from(key)),
      open: (value, key) => openGcm(value, secret, Buffer.from(key)),
    };
  }
  if (secret.length < SEED_BYTES) throw new Error(`invalid seed length ${secret.length} used for key generation`);
  return {
    seal(value, key) {
      const info = secureBytes(INFO_BYTES);
      return Buffer.concat([info, sealGcm(value, derived(secret, info), Buffer.from(key))]);
    },
    open(value, key) {
      if (value.length < INFO_BYTES) throw new Error(TOO_SHORT);
      return openGcm(value.subarray(INFO_BYTES), derived(secret, value.subarray(0, INFO_BYTES)), Buffer.from(key));
    },
  };
}

/**
 * The first 32 bytes of HKDF's expansion with SHA-256 (RFC 5869, 2.3): a separate key for each value, so that no key is
 * overused.
 */
function derived(seed: Uint8Array, info: Uint8Array): Uint8Array {
  return createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest();
}
