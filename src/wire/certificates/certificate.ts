import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  type X509Certificate,
} from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import type { Random } from '../../base/index.ts';
import {
  bitString,
  boolean,
  childrenOf,
  contentOf,
  context,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  time,
  utf8String,
} from './der.ts';

/** A certificate with its key, as PEM. */
export interface Credential {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface Subject {
  readonly commonName: string;
  /** The API server reads them as the user's groups. */
  readonly organizations?: readonly string[];
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly usage: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses that the certificate covers. */
  readonly names?: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

/** The signer of a certificate. */
export interface Issuer {
  /** The exact bytes from the certificate, since clients compare them byte by byte. */
  readonly name: Buffer;
  readonly privateKey: KeyObject;
  /** Undefined when the issuer's certificate has none. */
  readonly keyIdentifier: Buffer | undefined;
}

/** A private key as PEM. ECDSA P-256: fast to make, small, and accepted everywhere. */
export function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

/** The issuer of a self-signed certificate. */
export function selfIssuer(subject: Subject, privateKey: KeyObject): Issuer {
  return { name: nameOf(subject), privateKey, keyIdentifier: keyIdentifier(createPublicKey(privateKey)) };
}

/** The issuer that an authority's certificate describes. */
export function issuerFrom(certificate: X509Certificate, privateKey: KeyObject): Issuer {
  const [body = EMPTY] = childrenOf(certificate.raw);
  const fields = childrenOf(body);
  const [, , , , name = EMPTY] = fields.slice(fields[0]?.[0] === VERSION_TAG ? 1 : 0);
  return { name, privateKey, keyIdentifier: subjectKeyIdentifier(fields) };
}

const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;
const EMPTY = Buffer.alloc(0);
const SUBJECT_KEY_IDENTIFIER = '2.5.29.14';

function subjectKeyIdentifier(fields: readonly Buffer[]): Buffer | undefined {
  const wrapped = fields.find((field) => field[0] === EXTENSIONS_TAG);
  const extensionList = wrapped === undefined ? [] : childrenOf(contentOf(wrapped)).map(childrenOf);
  const found = extensionList.find(([identifier]) => identifier?.equals(objectIdentifier(SUBJECT_KEY_IDENTIFIER)));
  return found === undefined ? undefined : contentOf(contentOf(found.at(-1) ?? EMPTY));
}

/** Signs a certificate for a key; the issuer may be the subject itself. Returns PEM. */
export function issueCertificate(
  request: CertificateRequest,
  publicKey: KeyObject,
  { issuer, random }: { readonly issuer: Issuer; readonly random: Random },
): string {
  const { notBefore, notAfter } = request;
  return certificateOf(
    {
      subject: nameOf(request.subject),
      publicKey,
      notBefore,
      notAfter,
      extensions: extensions(request, publicKey),
    },
    { issuer, random },
  );
}

interface CertificateParts {
  /** In DER. */
  readonly subject: Buffer;
  readonly publicKey: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Buffer[];
}

/** Signs these parts, adds the signature and its algorithm, and returns PEM. */
export function certificateOf(
  { subject, publicKey, notBefore, notAfter, extensions: own }: CertificateParts,
  { issuer, random }: { readonly issuer: Issuer; readonly random: Random },
): string {
  const algorithm = signatureAlgorithm(issuer.privateKey);
  const authority =
    issuer.keyIdentifier === undefined ? [] : [extension('2.5.29.35', sequence(tagged(0x80, issuer.keyIdentifier)))];
  const body = sequence(
    context(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber(random)),
    algorithm.identifier,
    issuer.name,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...own, ...authority)),
  );
  const signature = sign(algorithm.digest, body, { key: issuer.privateKey, dsaEncoding: 'der' });
  return pem(sequence(body, algorithm.identifier, bitString(signature)));
}

interface SignatureAlgorithm {
  readonly identifier: Buffer;
  readonly digest: string | null;
}

/** The signature algorithm of a key: Keelson's keys are ECDSA, authorities that the user supplies may have other keys. */
function signatureAlgorithm({ asymmetricKeyType }: KeyObject): SignatureAlgorithm {
  switch (asymmetricKeyType) {
    case 'ec':
      return { identifier: sequence(objectIdentifier('1.2.840.10045.4.3.2')), digest: 'sha256' };
    case 'rsa':
      return { identifier: sequence(objectIdentifier('1.2.840.113549.1.1.11'), NULL), digest: 'sha256' };
    case 'ed25519':
      return { identifier: sequence(objectIdentifier('1.3.101.112')), digest: null };
    default:
      throw new Error(`Cannot sign with a key of type "${asymmetricKeyType ?? ''}"`);
  }
}

const NULL = Buffer.from([5, 0]);

/** Positive and at most 20 bytes, with 127 random bits. */
function serialNumber(random: Random): Uint8Array {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

/** A subject in DER. */
export function nameOf({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (identifier: string, value: string): Buffer =>
    set(sequence(objectIdentifier(identifier), utf8String(value)));
  return sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );
}

function extensions({ usage, names = [] }: CertificateRequest, publicKey: KeyObject): Buffer[] {
  const isAuthority = usage === 'authority';
  const list = [
    extension('2.5.29.15', bitString(Buffer.from([isAuthority ? 0xa4 : 0xa0]), isAuthority ? 2 : 5), true),
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true),
    extension(SUBJECT_KEY_IDENTIFIER, octetString(keyIdentifier(publicKey))),
  ];
  if (!isAuthority) {
    const purpose = usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
    list.push(extension('2.5.29.37', sequence(objectIdentifier(purpose))));
  }
  if (names.length > 0) list.push(extension('2.5.29.17', sequence(...names.map(alternativeName))));
  return list;
}

/** One extension of a certificate. */
export function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  return sequence(objectIdentifier(identifier), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

/** A DNS name or an IP address among a certificate's alternative names. */
export function alternativeName(text: string): Buffer {
  return isIP(text) === 0 ? tagged(0x82, Buffer.from(text, 'latin1')) : tagged(0x87, ipBytes(text));
}

/** The SHA-1 of the public key, by which verifiers build chains (RFC 5280, 4.2.1.2). */
function keyIdentifier(publicKey: KeyObject): Buffer {
  const [, key = EMPTY] = childrenOf(publicKey.export({ type: 'spki', format: 'der' }));
  return createHash('sha1').update(contentOf(key).subarray(1)).digest(); // the first byte is the number of unused bits
}

/** DER as a PEM block with this label. */
export function pem(der: Buffer, label = 'CERTIFICATE'): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

/** An IP address as its 4 or 16 bytes. */
function ipBytes(text: string): Buffer {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number));
  const groups = new URL(`http://[${text}]/`).hostname.slice(1, -1);
  const [head = '', tail = ''] = groups.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const middle = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const all = groups.includes('::') ? [...left, ...middle, ...right] : left;
  const bytes = Buffer.alloc(16);
  for (const [index, group] of all.entries()) bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  return bytes;
}
