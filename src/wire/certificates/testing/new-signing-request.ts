// Certificate requests as a kubelet or a person makes them.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { newSigningRequest as newRequest } from '../new-signing-request.ts';

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
  const { commonName, organizations = [], dnsNames: names = [], emailAddresses = [], isForged = false } = wanted;
  const privateKey = wanted.privateKey ?? newKey();
  const pem = newRequest({
    subject: { commonName, organizations },
    names,
    emailAddresses,
    privateKey,
    signer: isForged ? newKey() : privateKey,
  });
  return Buffer.from(pem).toString('base64');
}

function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
}
