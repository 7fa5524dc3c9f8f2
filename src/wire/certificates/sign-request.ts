import type { Random } from '../../base/index.ts';
import { certificateOf, extension, type Issuer } from './certificate.ts';
import { bitString, objectIdentifier, sequence } from './der.ts';
import type { SigningRequest } from './signing-request.ts';

export interface SigningOptions {
  readonly issuer: Issuer;
  readonly random: Random;
  readonly notBefore: number;
  readonly notAfter: number;
  /** What the certificate is for, in the terms of the certificates API; unknown usages have no effect. */
  readonly usages: readonly string[];
}

/** Bits of the key usage, counted from the first. */
const KEY_USAGES: Readonly<Record<string, number>> = {
  signing: 0,
  'digital signature': 0,
  'content commitment': 1,
  'key encipherment': 2,
  'data encipherment': 3,
  'key agreement': 4,
  'cert sign': 5,
  'crl sign': 6,
  'encipher only': 7,
  'decipher only': 8,
};

/** In the order in which they appear in certificates. */
const EXTENDED_USAGES: Readonly<Record<string, string>> = {
  any: '2.5.29.37.0',
  'server auth': '1.3.6.1.5.5.7.3.1',
  'client auth': '1.3.6.1.5.5.7.3.2',
  'code signing': '1.3.6.1.5.5.7.3.3',
  'email protection': '1.3.6.1.5.5.7.3.4',
  's/mime': '1.3.6.1.5.5.7.3.4',
  'ipsec end system': '1.3.6.1.5.5.7.3.5',
  'ipsec tunnel': '1.3.6.1.5.5.7.3.6',
  'ipsec user': '1.3.6.1.5.5.7.3.7',
  timestamping: '1.3.6.1.5.5.7.3.8',
  'ocsp signing': '1.3.6.1.5.5.7.3.9',
  'microsoft sgc': '1.3.6.1.4.1.311.10.3.3',
  'netscape sgc': '2.16.840.1.113730.4.1',
};

/** All usages of the certificates API. */
export const knownUsages: readonly string[] = [...Object.keys(KEY_USAGES), ...Object.keys(EXTENDED_USAGES)];

/**
 * Issues the requested certificate, as PEM: with the request's subject, key and alternative names, for these usages, never
 * for an authority. Everything else in the request is ignored.
 */
export function signRequest(request: SigningRequest, options: SigningOptions): string {
  const { issuer, random, notBefore, notAfter, usages } = options;
  const extended = [...new Set(Object.keys(EXTENDED_USAGES).filter((usage) => usages.includes(usage)))].map(
    (usage) => EXTENDED_USAGES[usage] ?? '',
  );
  const bits = usages.flatMap((usage) => KEY_USAGES[usage] ?? []);
  const extensions = [
    ...(bits.length === 0 ? [] : [extension('2.5.29.15', usageBits(bits), true)]),
    ...(extended.length === 0
      ? []
      : [extension('2.5.29.37', sequence(...[...new Set(extended)].map(objectIdentifier)))]),
    extension('2.5.29.19', sequence(), true),
    ...(request.rawNames.length === 0 ? [] : [extension('2.5.29.17', sequence(...request.rawNames))]),
  ];
  const { rawSubject: subject, publicKey } = request;
  return certificateOf({ subject, publicKey, notBefore, notAfter, extensions }, { issuer, random });
}

function usageBits(bits: readonly number[]): Buffer {
  const last = Math.max(...bits);
  const bytes = Buffer.alloc(last < 8 ? 1 : 2);
  for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) | (0x80 >> (bit & 7));
  return bitString(bytes, 7 - (last & 7));
}
