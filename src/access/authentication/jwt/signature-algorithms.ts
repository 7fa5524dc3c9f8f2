import { constants, type KeyObject, sign, type SigningOptions, verify } from 'node:crypto';
import type { CompactJws } from './compact-jws.ts';

interface Algorithm {
  readonly hash: string;
  readonly keyType: 'rsa' | 'ec';
  readonly curve?: string;
  readonly options: SigningOptions & { readonly dsaEncoding?: 'ieee-p1363' };
}

const rsa = (hash: string): Algorithm => ({ hash, keyType: 'rsa', options: { padding: constants.RSA_PKCS1_PADDING } });

const pss = (hash: string): Algorithm => ({
  hash,
  keyType: 'rsa',
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
});

const ecdsa = (hash: string, curve: string): Algorithm => ({
  hash,
  keyType: 'ec',
  curve,
  options: { dsaEncoding: 'ieee-p1363' },
});

/**
 * The accepted signature algorithms. Neither `none` nor those with a shared secret (HS256) are among them, and each fits one type of key
 * only, so that a public key is never used as a shared secret.
 */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['RS256', rsa('sha256')],
  ['RS384', rsa('sha384')],
  ['RS512', rsa('sha512')],
  ['PS256', pss('sha256')],
  ['PS384', pss('sha384')],
  ['PS512', pss('sha512')],
  ['ES256', ecdsa('sha256', 'prime256v1')],
  ['ES384', ecdsa('sha384', 'secp384r1')],
  ['ES512', ecdsa('sha512', 'secp521r1')],
]);

/** Names of the accepted signature algorithms. */
export const signatureAlgorithms: readonly string[] = [...ALGORITHMS.keys()];

/** Whether the key made the token's signature, with an accepted algorithm. */
export function isSignedBy({ algorithm: name, signed, signature }: CompactJws, key: KeyObject): boolean {
  const algorithm = ALGORITHMS.get(name);
  if (algorithm === undefined || !fits(algorithm, key)) return false;
  return verify(algorithm.hash, Buffer.from(signed), { key, ...algorithm.options }, signature);
}

/** The algorithm with which a key signs: RS256 for RSA, and the one of its curve for elliptic curves. Undefined when there is none. */
export function algorithmOf(key: KeyObject): string | undefined {
  return signatureAlgorithms.find((name) => fits(ALGORITHMS.get(name) as Algorithm, key));
}

/** Signs a header and claims as a token. */
export function signJws(header: object, claims: object, { key, name }: { key: KeyObject; name: string }): string {
  const algorithm = ALGORITHMS.get(name);
  if (algorithm === undefined || !fits(algorithm, key)) throw new Error(`Cannot sign: the key does not fit "${name}"`);
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${encode({ alg: name, ...header })}.${encode(claims)}`;
  const signature = sign(algorithm.hash, Buffer.from(signed), { key, ...algorithm.options });
  return `${signed}.${signature.toString('base64url')}`;
}

function fits({ keyType, curve }: Algorithm, key: KeyObject): boolean {
  if (key.asymmetricKeyType !== keyType) return false;
  return curve === undefined || key.asymmetricKeyDetails?.namedCurve === curve;
}
