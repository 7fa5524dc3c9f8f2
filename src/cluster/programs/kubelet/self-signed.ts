import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { Clock, Random } from '../../../base/index.ts';
import { type Credential, issueCertificate, newPrivateKey, selfIssuer } from '../../../wire/certificates/index.ts';
import type { nodeSubject } from './node-endpoints.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const CERTIFICATE_DAYS = 365;

interface SigningParts {
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
}

/** A server certificate signed by itself, as that of a kubelet without configured ones. */
export function selfSigned(
  subject: ReturnType<typeof nodeSubject>,
  { names, clock, random }: SigningParts,
): Credential {
  const privateKey = newPrivateKey();
  const key = createPrivateKey(privateKey);
  const nowMs = clock.now();
  const validity = { notBefore: nowMs - DAY_MS, notAfter: nowMs + CERTIFICATE_DAYS * DAY_MS };
  const request = { subject, usage: 'server', names, ...validity } as const;
  const certificate = issueCertificate(request, createPublicKey(key), { issuer: selfIssuer(subject, key), random });
  return { certificate, privateKey };
}
