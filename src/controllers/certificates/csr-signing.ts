import { createPrivateKey, X509Certificate } from 'node:crypto';
import {
  API_CLIENT_SIGNER,
  certificateRequestOf,
  KUBELET_CLIENT_SIGNER,
  KUBELET_SERVING_SIGNER,
  kubeletClientProblem,
  kubeletServingProblem,
  LEGACY_SIGNER,
} from '../../api/meaning/index.ts';
import { type Clock, type Duration, millisecondsOf } from '../../base/index.ts';
import { CertificateSigningRequest, type Observed } from '../../client/index.ts';
import { controller, type Controller } from '../../kit/index.ts';
import { type Credential, issuerFrom, signRequest, type SigningRequest } from '../../wire/certificates/index.ts';
import { conditionsWith, hasCondition } from './conditions.ts';

/** The cluster's certificate authority and its limits. */
export interface SigningAuthority {
  /** The current certificate and key of the authority. */
  readonly authority: () => Credential;
  /** The clock for validity times. */
  readonly clock: Clock;
  /** Maximum lifetime of a certificate; default one year. */
  readonly clusterSigningDuration?: Duration;
}

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 24 * 60 * MINUTE_MS;
/** Certificates start this long before they are signed, to allow for clock skew. */
const BACKDATE_MS = 5 * MINUTE_MS;
const MIN_DURATION_MS = 10 * MINUTE_MS;
/** The lifetime of a shorter certificate is not reduced by the backdating. */
const SHORT_MS = 8 * 60 * MINUTE_MS;

type Problem = (request: SigningRequest, usages: readonly string[]) => string | undefined;

/** The requirements of each signer. */
const signers: ReadonlyMap<string, Problem> = new Map<string, Problem>([
  [KUBELET_SERVING_SIGNER, kubeletServingProblem],
  [KUBELET_CLIENT_SIGNER, kubeletClientProblem],
  [API_CLIENT_SIGNER, (_request, usages) => clientUsageProblem(usages)],
  [LEGACY_SIGNER, () => undefined],
]);

/**
 * Signs approved requests for the `kubernetes.io` signers; marks a request as failed when it violates the signer's
 * rules.
 */
export function csrSigning(options: SigningAuthority): Controller {
  return controller(CertificateSigningRequest, {
    queueName: 'certificate',
    name: 'csrsigning',
    async reconcile(request, { objects, random }) {
      const { spec, status = {} } = request;
      const problemOf = signers.get(spec.signerName);
      if (problemOf === undefined || (status.certificate ?? '') !== '') return;
      if (!isToBeSigned(request)) return;
      const usages = spec.usages ?? [];
      const parsed = certificateRequestOf(spec.request);
      const problem = problemOf(parsed, usages);
      const requests = objects(CertificateSigningRequest);
      if (problem !== undefined) {
        const condition = {
          type: 'Failed',
          status: 'True',
          reason: 'SignerValidationFailure',
          message: problem,
        } as const;
        await requests.updateStatus({
          ...request,
          status: { ...status, conditions: conditionsWith(request, condition) },
        });
        return;
      }
      const { authority, clock } = options;
      const pair = authority();
      const parent = new X509Certificate(pair.certificate);
      const issuer = issuerFrom(parent, createPrivateKey(pair.privateKey));
      const validity = validityOf(durationOf(spec.expirationSeconds, options), clock.now(), Date.parse(parent.validTo));
      const pem = signRequest(parsed, { issuer, random, usages, ...validity });
      await requests.updateStatus({
        ...request,
        status: { ...status, certificate: Buffer.from(pem).toString('base64') },
      });
    },
  });
}

function isToBeSigned(request: Observed<CertificateSigningRequest>): boolean {
  return hasCondition(request, 'Approved') && !hasCondition(request, 'Denied') && !hasCondition(request, 'Failed');
}

function durationOf(seconds: number | undefined, { clusterSigningDuration = YEAR_MS }: SigningAuthority): number {
  const maxDurationMs = millisecondsOf(clusterSigningDuration);
  if (seconds === undefined) return maxDurationMs;
  return Math.min(Math.max(seconds * 1000, MIN_DURATION_MS), maxDurationMs);
}

function validityOf(
  durationMs: number,
  nowMs: number,
  authorityEndsMs: number,
): { notBefore: number; notAfter: number } {
  if (nowMs >= authorityEndsMs)
    throw new Error(`Cannot sign: the signer has expired on ${new Date(authorityEndsMs).toISOString()}`);
  const endsMs = nowMs + durationMs - (durationMs < SHORT_MS ? 0 : BACKDATE_MS);
  return { notBefore: nowMs - BACKDATE_MS, notAfter: Math.min(endsMs, authorityEndsMs) };
}

const CLIENT_USAGES = ['digital signature', 'key encipherment', 'client auth'];

function clientUsageProblem(usages: readonly string[]): string | undefined {
  const wrong = usages.find((usage) => !CLIENT_USAGES.includes(usage));
  if (wrong !== undefined) return `invalid usage for client certificate: ${wrong}`;
  return usages.includes('client auth') ? undefined : 'missing required usage for client certificate: client auth';
}
