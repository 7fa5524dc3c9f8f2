import { createPublicKey, type KeyObject } from 'node:crypto';
import { lengthOfElement } from '../../wire/certificates/index.ts';

/** Curves by their names in messages; other curves cannot be read. */
const CURVES: ReadonlyMap<string | undefined, string> = new Map([
  ['secp224r1', 'P-224'],
  ['prime256v1', 'P-256'],
  ['secp384r1', 'P-384'],
  ['secp521r1', 'P-521'],
]);

const RSA_BITS = new Set([3072, 4096]);

/** What is wrong with the type or the size of a key: the value to quote, if there is one, and what to say. */
export interface KeyProblem {
  readonly quoted?: string;
  readonly detail: string;
}

/** The key in the PKIX form of DER; undefined if it is malformed. */
export function publicKeyOf(der: Buffer): KeyObject | undefined {
  try {
    const key =
      lengthOfElement(der) === der.length ? createPublicKey({ key: der, format: 'der', type: 'spki' }) : undefined;
    return key === undefined || !isReadable(key) ? undefined : key;
  } catch {
    return undefined; // OpenSSL's reasons do not help the client
  }
}

/** Whether the key has a curve that Go knows, or none. */
export function isReadable({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): boolean {
  return asymmetricKeyType !== 'ec' || CURVES.has(asymmetricKeyDetails?.namedCurve);
}

/** Pods' certificates are for Ed25519, for curves from P-256 on, and for long RSA keys. `curves` says which curves there are. */
export function keyProblem(
  { asymmetricKeyType, asymmetricKeyDetails }: KeyObject,
  curves: string,
): KeyProblem | undefined {
  switch (asymmetricKeyType) {
    case 'ed25519':
      return undefined;
    case 'ec': {
      const curve = CURVES.get(asymmetricKeyDetails?.namedCurve) ?? '';
      if (curve !== 'P-224') return undefined;
      return { quoted: `curve ${curve}`, detail: `elliptic public keys must use curve ${curves}` };
    }
    case 'rsa': {
      const bits = Math.ceil((asymmetricKeyDetails?.modulusLength ?? 0) / 8) * 8;
      if (RSA_BITS.has(bits)) return undefined;
      return { quoted: `${bits}-bit modulus`, detail: 'RSA keys must have modulus size 3072 or 4096' };
    }
    default:
      return { detail: 'unknown public key type; supported types are Ed25519, ECDSA, and RSA' };
  }
}
