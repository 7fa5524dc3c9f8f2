// Certificate requests as a kubelet or a person makes them.
import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import {
  bitString,
  context,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  set,
  tagged,
  utf8String,
} from '../der.ts';

export interface WantedCertificate {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly emailAddresses?: readonly string[];
  readonly privateKey?: KeyObject;
  /** Signs with another key than the requested one. */
  readonly isForged?: boolean;
}

/** A PKCS #10 request as base64 of its PEM, the form of `spec.request`. */
export function newSigningRequest(wanted: WantedCertificate): string {
  const { commonName, organizations = [], dnsNames = [], emailAddresses = [], isForged = false } = wanted;
  const privateKey = wanted.privateKey ?? newKey();
  const attribute = (id: string, text: string): Buffer => set(sequence(objectIdentifier(id), utf8String(text)));
  const subject = [...organizations.map((name) => attribute('2.5.4.10', name)), attribute('2.5.4.3', commonName)];
  const names = [
    ...dnsNames.map((name) => tagged(0x82, Buffer.from(name))),
    ...emailAddresses.map((name) => tagged(0x81, Buffer.from(name))),
  ];
  const extension = sequence(objectIdentifier('2.5.29.17'), octetString(sequence(...names)));
  const requested = sequence(objectIdentifier('1.2.840.113549.1.9.14'), set(sequence(extension)));
  const info = sequence(
    integer(Buffer.from([0])),
    sequence(...subject),
    createPublicKey(privateKey).export({ type: 'spki', format: 'der' }),
    names.length === 0 ? context(0, Buffer.alloc(0)) : context(0, requested),
  );
  const signature = sign('sha256', info, { key: isForged ? newKey() : privateKey, dsaEncoding: 'der' });
  const der = sequence(info, sequence(objectIdentifier('1.2.840.10045.4.3.2')), bitString(signature));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  const pem = `-----BEGIN CERTIFICATE REQUEST-----\n${lines.join('\n')}\n-----END CERTIFICATE REQUEST-----\n`;
  return Buffer.from(pem).toString('base64');
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}
