import { createPublicKey, type KeyObject, sign } from 'node:crypto';
import { alternativeName, nameOf, pem, type Subject } from './certificate.ts';
import { bitString, context, integer, objectIdentifier, octetString, sequence, set, tagged } from './der.ts';

export interface WantedCertificate {
  readonly subject: Subject;
  /** DNS names and IP addresses that the certificate shall cover. */
  readonly names?: readonly string[];
  readonly emailAddresses?: readonly string[];
  /** Its public half is certified. An elliptic curve key. */
  readonly privateKey: KeyObject;
  /** Default the same key, which proves that the sender has it. */
  readonly signer?: KeyObject;
}

const EMAIL_TAG = 0x81;
const ALTERNATIVE_NAME = '2.5.29.17';
const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';

/** A PKCS #10 request, as PEM. */
export function newSigningRequest(wanted: WantedCertificate): string {
  const { subject, names = [], emailAddresses = [], privateKey, signer = privateKey } = wanted;
  const alternatives = [
    ...names.map(alternativeName),
    ...emailAddresses.map((address) => tagged(EMAIL_TAG, Buffer.from(address))),
  ];
  const extension = sequence(objectIdentifier(ALTERNATIVE_NAME), octetString(sequence(...alternatives)));
  const requested = sequence(objectIdentifier(EXTENSION_REQUEST), set(sequence(extension)));
  const info = sequence(
    integer(Buffer.from([0])),
    nameOf(subject),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    context(0, alternatives.length === 0 ? Buffer.alloc(0) : requested),
  );
  const signature = sign('sha256', info, { key: signer, dsaEncoding: 'der' });
  const der = sequence(info, sequence(objectIdentifier(ECDSA_WITH_SHA256)), bitString(signature));
  return pem(der, 'CERTIFICATE REQUEST');
}
