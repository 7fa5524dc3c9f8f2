import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import type { Clock, Random } from '../../base/index.ts';
import {
  type CertificateRequest,
  type Credential,
  issueCertificate,
  issuerFrom,
  newPrivateKey,
} from '../../wire/certificates/index.ts';

const HOUR_MS = 60 * 60 * 1000;
const YEAR_MS = 365 * 24 * HOUR_MS;

/** A key and certificate that only this process has, in memory. Valid for a year, or as long as the authority is. */
export function issueCredential(
  request: Pick<CertificateRequest, 'subject' | 'usage' | 'names'>,
  authority: Credential,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Credential {
  const privateKey = newPrivateKey();
  const parsed = new X509Certificate(authority.certificate);
  const nowMs = clock.now();
  const notAfter = Math.min(nowMs + YEAR_MS, Date.parse(parsed.validTo));
  const issuer = issuerFrom(parsed, createPrivateKey(authority.privateKey));
  const whole = { ...request, notBefore: nowMs - HOUR_MS, notAfter };
  const certificate = issueCertificate(whole, createPublicKey(createPrivateKey(privateKey)), { issuer, random });
  return { certificate, privateKey };
}

/** A credential that is made when it is first needed, and again when half its time is over. */
export function renewedCredential(issue: () => Credential, clock: Clock): () => Credential {
  let made: { readonly credential: Credential; readonly atMs: number } | undefined;
  return () => {
    if (made === undefined || clock.now() - made.atMs > YEAR_MS / 2) made = { credential: issue(), atMs: clock.now() };
    return made.credential;
  };
}
