import { createCipheriv, createDecipheriv, scryptSync } from 'node:crypto';
import { type KmsPlugin, kmsPlugin } from 'keelson';

/** Keys by name, from a passphrase; a real plugin would ask a key management service. The last one is in use. */
const keys = new Map(['2025', '2026'].map((year) => [year, scryptSync('correct horse', year, 32)]));

/** Encrypts the keys of API servers with a key of the year. */
export function yearlyKeys(socket: string): KmsPlugin {
  return kmsPlugin({
    socket,
    keyId: [...keys.keys()].at(-1) ?? '',
    encrypt(plaintext, { keyId }) {
      const nonce = crypto.getRandomValues(Buffer.alloc(12));
      const cipher = createCipheriv('aes-256-gcm', keys.get(keyId) ?? '', nonce);
      return Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]);
    },
    decrypt(ciphertext, { keyId }) {
      const cipher = createDecipheriv('aes-256-gcm', keys.get(keyId) ?? '', ciphertext.subarray(0, 12));
      cipher.setAuthTag(ciphertext.subarray(-16));
      return Buffer.concat([cipher.update(ciphertext.subarray(12, -16)), cipher.final()]);
    },
  });
}
