import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { algorithmOf } from './signature-algorithms.ts';

/** A public key that verifies signatures. */
export interface VerificationKey {
  /** The key ID in tokens: a digest of the public key. */
  readonly id: string;
  readonly key: KeyObject;
  /** The algorithm of the key's signatures. */
  readonly algorithm: string;
}

/** The public half of a key. */
export function verificationKey(key: KeyObject): VerificationKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key;
  const algorithm = algorithmOf(publicKey);
  if (algorithm === undefined)
    throw new Error('Cannot use a key for tokens: it is neither RSA nor ECDSA (P-256, P-384, P-521)');
  const der = publicKey.export({ type: 'spki', format: 'der' });
  return { id: createHash('sha256').update(der).digest('base64url'), key: publicKey, algorithm };
}

const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]*-----END \1-----/g;

/** All keys in PEM text, whether public, private or in a certificate; `place` is named in the error when there is none. */
export function readVerificationKeys(pem: string, place: string): readonly VerificationKey[] {
  const blocks = [...pem.matchAll(BLOCK)].filter(([, type]) => type !== 'EC PARAMETERS');
  if (blocks.length === 0) throw new Error(`Cannot read keys in "${place}": it has none in PEM`);
  return blocks.map(([block], index) => {
    try {
      return verificationKey(createPublicKey(block));
    } catch (cause) {
      throw new Error(`Cannot read key ${index + 1} in "${place}": it is neither RSA nor ECDSA in PEM`, { cause });
    }
  });
}

/** The key as a JSON Web Key (RFC 7517), members in upstream's order. */
export function jsonWebKey({ id, key, algorithm }: VerificationKey): Readonly<Record<string, string | undefined>> {
  const { kty, crv, x, y, n, e } = key.export({ format: 'jwk' });
  return { use: 'sig', kty, kid: id, crv, alg: algorithm, x, y, n, e };
}
