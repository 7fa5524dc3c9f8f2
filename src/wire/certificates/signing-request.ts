import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { childrenOf, contentOf, integerOf, lengthOfElement, objectIdentifier } from './der.ts';

/** A parsed PKCS #10 certificate request. */
export interface SigningRequest {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The exact bytes of the subject. */
  readonly rawSubject: Buffer;
  readonly publicKey: KeyObject;
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** 4 or 16 bytes each. */
  readonly ipAddresses: readonly Buffer[];
  readonly uris: readonly string[];
  /** The exact bytes of the alternative names of those four kinds. */
  readonly rawNames: readonly Buffer[];
  /** Why the signature does not prove that the sender has the key, in Go's words; undefined when it does. */
  readonly signatureProblem: string | undefined;
}

const PEM = /-----BEGIN CERTIFICATE REQUEST-----\r?\n([A-Za-z0-9+/=\s]*)-----END CERTIFICATE REQUEST-----/;
const FIRST_BLOCK = /-----BEGIN ([^-]*)-----/;

/** Reads the first PEM block; throws errors with the messages of kube-apiserver when it is not a request. */
export function parseSigningRequest(pem: string): SigningRequest {
  const body = FIRST_BLOCK.exec(pem)?.[1] === 'CERTIFICATE REQUEST' ? PEM.exec(pem)?.[1] : undefined;
  if (body === undefined) throw new Error('PEM block type must be CERTIFICATE REQUEST');
  try {
    return readSigningRequest(Buffer.from(body, 'base64'));
  } catch (cause) {
    throw new Error('asn1: structure error: the request is malformed', { cause });
  }
}

const COMMON_NAME = objectIdentifier('2.5.4.3');
const ORGANIZATION = objectIdentifier('2.5.4.10');
const EXTENSION_REQUEST = objectIdentifier('1.2.840.113549.1.9.14');
const ALTERNATIVE_NAME = objectIdentifier('2.5.29.17');
const ATTRIBUTES_TAG = 0xa0;
const [EMAIL_TAG, DNS_TAG, URI_TAG, ADDRESS_TAG] = [0x81, 0x82, 0x86, 0x87];

/** Reads a request in DER; throws if it is malformed. */
export function readSigningRequest(der: Buffer): SigningRequest {
  if (lengthOfElement(der) !== der.length) throw new Error('something follows the request');
  const [info, algorithm, signature] = childrenOf(der);
  if (info === undefined || algorithm === undefined || signature === undefined) throw new Error('too short');
  const [version, rawSubject, key, ...rest] = childrenOf(info);
  if (version === undefined || rawSubject === undefined || key === undefined || integerOf(version) !== 0)
    throw new Error('not a request of version 1');
  const attributes = childrenOf(rawSubject).flatMap((set) => childrenOf(set).map(childrenOf));
  const texts = (type: Buffer): string[] =>
    attributes.flatMap(([id, value]) => (id?.equals(type) && value ? [contentOf(value).toString('utf8')] : []));
  const names = alternativeNames(rest.find((element) => element[0] === ATTRIBUTES_TAG));
  const withTag = (tag: number): Buffer[] => names.filter((name) => name[0] === tag).map(contentOf);
  const textsOf = (tag: number): string[] => withTag(tag).map((name) => name.toString('latin1'));
  const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
  return {
    commonName: texts(COMMON_NAME).at(-1) ?? '',
    organizations: texts(ORGANIZATION),
    rawSubject,
    publicKey,
    dnsNames: textsOf(DNS_TAG),
    emailAddresses: textsOf(EMAIL_TAG),
    ipAddresses: withTag(ADDRESS_TAG),
    uris: textsOf(URI_TAG),
    rawNames: names.filter((name) => [EMAIL_TAG, DNS_TAG, URI_TAG, ADDRESS_TAG].includes(name[0] ?? 0)),
    signatureProblem: signatureProblem(info, { algorithm, signature, publicKey }),
  };
}

function alternativeNames(attributes: Buffer | undefined): readonly Buffer[] {
  if (attributes === undefined) return [];
  const extensions = childrenOf(attributes)
    .map(childrenOf)
    .filter(([id]) => id?.equals(EXTENSION_REQUEST))
    .flatMap(([, values]) => (values === undefined ? [] : childrenOf(values).flatMap(childrenOf)));
  const found = extensions.map(childrenOf).find(([id]) => id?.equals(ALTERNATIVE_NAME));
  const value = found?.at(-1);
  return value === undefined ? [] : childrenOf(contentOf(value));
}

interface Signed {
  readonly algorithm: Buffer;
  readonly signature: Buffer;
  readonly publicKey: KeyObject;
}

interface Algorithm {
  readonly digest: string | null;
  readonly keyType: string;
  readonly failure: string;
}

const RSA_FAILURE = 'crypto/rsa: verification error';
const ECDSA_FAILURE = 'x509: ECDSA verification failure';

/** By the identifier of the signature algorithm; Go rejects older, unsafe digests. */
const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map(
  (
    [
      ['1.2.840.10045.4.3.2', { digest: 'sha256', keyType: 'ec', failure: ECDSA_FAILURE }],
      ['1.2.840.10045.4.3.3', { digest: 'sha384', keyType: 'ec', failure: ECDSA_FAILURE }],
      ['1.2.840.10045.4.3.4', { digest: 'sha512', keyType: 'ec', failure: ECDSA_FAILURE }],
      ['1.2.840.113549.1.1.11', { digest: 'sha256', keyType: 'rsa', failure: RSA_FAILURE }],
      ['1.2.840.113549.1.1.12', { digest: 'sha384', keyType: 'rsa', failure: RSA_FAILURE }],
      ['1.2.840.113549.1.1.13', { digest: 'sha512', keyType: 'rsa', failure: RSA_FAILURE }],
      ['1.3.101.112', { digest: null, keyType: 'ed25519', failure: 'x509: Ed25519 verification failure' }],
    ] as const
  ).map(([id, algorithm]) => [objectIdentifier(id).toString('hex'), algorithm]),
);

function signatureProblem(info: Buffer, { algorithm, signature, publicKey }: Signed): string | undefined {
  const [id = Buffer.alloc(0)] = childrenOf(algorithm);
  const known = ALGORITHMS.get(id.toString('hex'));
  if (known === undefined) return 'x509: cannot verify signature: algorithm unimplemented';
  const { digest, keyType, failure } = known;
  if (publicKey.asymmetricKeyType !== keyType) return failure;
  const bytes = contentOf(signature).subarray(1); // the first byte is the number of unused bits
  return verify(digest, info, { key: publicKey, dsaEncoding: 'der' }, bytes) ? undefined : failure;
}
