import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Clock, Random } from '../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../wire/certificates/index.ts';
import type { ServingCertificate } from '../wire/listen/index.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_DAYS = 365;

/** A certificate that its own key has signed: enough for the API server's service proxy, which does not check it. */
export function selfSigned({ clock, random }: { readonly clock: Clock; readonly random: Random }): ServingCertificate {
  const subject = { commonName: 'keelson-dashboard' };
  const pem = newPrivateKey();
  const key = createPrivateKey(pem);
  const now = clock.now();
  const request = {
    subject,
    usage: 'server' as const,
    names: ['keelson-dashboard', 'localhost', '127.0.0.1'],
    notBefore: now - DAY_MS,
    notAfter: now + VALID_DAYS * DAY_MS,
  };
  const certificate = issueCertificate(request, createPublicKey(key), { issuer: selfIssuer(subject, key), random });
  return { certificate, key: pem };
}
