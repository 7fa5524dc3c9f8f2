import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { isIP, isIPv4 } from 'node:net';
import type { Random } from '../../base/index.ts';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** A certificate with its key, as PEM. */
export interface Credential {
  readonly certificate: string;
  readonly privateKey: string;
}

export interface Subject {
  readonly commonName: string;
  /** Become groups when the certificate is shown to the API server. */
  readonly organizations?: readonly string[];
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly usage: 'authority' | 'server' | 'client';
  /** DNS names and IP addresses the certificate is good for. */
  readonly names?: readonly string[];
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface Issuer {
  readonly subject: Subject;
  readonly keys: KeyPair;
}

/** ECDSA P-256: fast to make, small, and accepted everywhere. */
export function newKeyPair(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

export function privateKeyPem(keys: KeyPair): string {
  return keys.privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

/** Signs a certificate for `keys`; `issuer` may be the subject itself. Answers with PEM. */
export function issueCertificate(
  request: CertificateRequest,
  keys: KeyPair,
  { issuer, random }: { readonly issuer: Issuer; readonly random: Random },
): string {
  const body = sequence(
    context(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber(random)),
    ECDSA_WITH_SHA256,
    name(issuer.subject),
    sequence(time(request.notBefore), time(request.notAfter)),
    name(request.subject),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    context(3, sequence(...extensions(request, keys, issuer))),
  );
  const signature = sign('sha256', body, { key: issuer.keys.privateKey, dsaEncoding: 'der' });
  return pem(sequence(body, ECDSA_WITH_SHA256, bitString(signature)));
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));

/** Positive and at most 20 bytes, with 127 random bits. */
function serialNumber(random: Random): Uint8Array {
  const bytes = Uint8Array.from(random.bytes(16));
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function name({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (identifier: string, value: string): Buffer =>
    set(sequence(objectIdentifier(identifier), utf8String(value)));
  return sequence(
    ...organizations.map((organization) => attribute('2.5.4.10', organization)),
    attribute('2.5.4.3', commonName),
  );
}

function extensions({ usage, names = [] }: CertificateRequest, keys: KeyPair, issuer: Issuer): Buffer[] {
  const isAuthority = usage === 'authority';
  const list = [
    extension('2.5.29.15', bitString(Buffer.from([isAuthority ? 0xa4 : 0xa0]), isAuthority ? 2 : 5), true),
    extension('2.5.29.19', isAuthority ? sequence(boolean(true)) : sequence(), true),
    extension('2.5.29.14', octetString(keyIdentifier(keys))),
    extension('2.5.29.35', sequence(tagged(0x80, keyIdentifier(issuer.keys)))),
  ];
  if (!isAuthority) {
    const purpose = usage === 'server' ? '1.3.6.1.5.5.7.3.1' : '1.3.6.1.5.5.7.3.2';
    list.push(extension('2.5.29.37', sequence(objectIdentifier(purpose))));
  }
  if (names.length > 0) list.push(extension('2.5.29.17', sequence(...names.map(alternativeName))));
  return list;
}

function extension(identifier: string, value: Buffer, isCritical = false): Buffer {
  return sequence(objectIdentifier(identifier), ...(isCritical ? [boolean(true)] : []), octetString(value));
}

function alternativeName(text: string): Buffer {
  return isIP(text) === 0 ? tagged(0x82, Buffer.from(text, 'latin1')) : tagged(0x87, ipBytes(text));
}

/** The SHA-1 of the public key, by which chains are put together (RFC 5280, 4.2.1.2). */
function keyIdentifier({ publicKey }: KeyPair): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return createHash('sha1').update(point).digest();
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Reads a certificate authority back from its PEM. */
export function issuerFrom({
  certificate,
  privateKey,
}: {
  readonly certificate: string;
  readonly privateKey: KeyObject;
}): Issuer {
  const commonName = /^CN=(.*)$/m.exec(new X509Certificate(certificate).subject)?.[1] ?? '';
  return { subject: { commonName }, keys: { privateKey, publicKey: createPublicKey(privateKey) } };
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

function sequence(...parts: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

/** A value with its tag and length in front. */
function tagged(tag: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(value.length), value]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

/** A non-negative integer, given as big-endian bytes. */
function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const value = Buffer.from(bytes.subarray(start));
  const needsSignByte = ((value[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, needsSignByte ? Buffer.concat([Buffer.from([0]), value]) : value);
}

/** An object identifier, given as `1.2.840.10045.4.3.2`. */
function objectIdentifier(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift((rest % 128) | 0x80);
  return bytes;
}

function utf8String(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text, 'utf8'));
}

function octetString(value: Buffer): Buffer {
  return tagged(0x04, value);
}

/** Whole bytes; `unusedBits` of the last one do not count. */
function bitString(value: Buffer, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), value]));
}

function boolean(value: boolean): Buffer {
  return tagged(0x01, Buffer.from([value ? 0xff : 0]));
}

/** `[number]` with a constructed value. */
function context(number: number, value: Buffer): Buffer {
  return tagged(0xa0 | number, value);
}

/** UTCTime until 2049 and GeneralizedTime after, as RFC 5280 asks. */
function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  const isShort = Number(text.slice(0, 4)) < 2050;
  return tagged(isShort ? 0x17 : 0x18, Buffer.from(isShort ? text.slice(2) : text, 'latin1'));
}
