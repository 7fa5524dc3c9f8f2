import { certificateRequestOf, KUBELET_CLIENT_SIGNER, kubeletClientProblem } from '../../api/meaning/index.ts';
import { CertificateSigningRequest, type Client, type Observed } from '../../client/index.ts';
import { controller, type Controller } from '../../kit/index.ts';
import { conditionsWith, hasCondition } from './conditions.ts';

interface Recognized {
  /** The subresource that the requester must be allowed to create. */
  readonly right: string;
  readonly message: string;
}

const RENEWAL: Recognized = {
  right: 'selfnodeclient',
  message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
};
const BOOTSTRAP: Recognized = {
  right: 'nodeclient',
  message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
};

/**
 * Maximum retry delay. A requester without permission may be granted it later, so its requests are retried with growing
 * delays.
 */
const MAX_PAUSE_MS = 1_000_000;
const MIN_PAUSE_MS = 1000;

/** Approves the client certificate requests of kubelets, initial and renewals, if the requester has the permission. */
export function csrApproving(): Controller {
  return controller(CertificateSigningRequest, {
    queueName: 'certificate',
    name: 'csrapproving',
    async reconcile(request, { client, clock, after }) {
      if ((request.status?.certificate ?? '') !== '' || isDecided(request)) return;
      const recognized = recognize(request);
      for (const { right, message } of recognized) {
        if (!(await may(client, request, right))) continue;
        const condition = { type: 'Approved', status: 'True', reason: 'AutoApproved', message } as const;
        const status = { ...request.status, conditions: conditionsWith(request, condition) };
        const requests = client.kind(CertificateSigningRequest);
        await requests.subresource<CertificateSigningRequest>('approval').update({ ...request, status });
        return;
      }
      if (recognized.length === 0) return;
      const ageMs = clock.now() - Date.parse(request.metadata.creationTimestamp ?? '');
      after(Math.min(Math.max(ageMs, MIN_PAUSE_MS), MAX_PAUSE_MS));
    },
  });
}

function isDecided(request: Observed<CertificateSigningRequest>): boolean {
  return hasCondition(request, 'Approved') || hasCondition(request, 'Denied');
}

function recognize({ spec }: Observed<CertificateSigningRequest>): readonly Recognized[] {
  if (spec.signerName !== KUBELET_CLIENT_SIGNER) return [];
  const parsed = certificateRequestOf(spec.request);
  if (kubeletClientProblem(parsed, spec.usages ?? []) !== undefined) return [];
  return spec.username === parsed.commonName ? [RENEWAL, BOOTSTRAP] : [BOOTSTRAP];
}

async function may(client: Client, { spec }: Observed<CertificateSigningRequest>, right: string): Promise<boolean> {
  const { username: user, uid, groups, extra } = spec;
  const resourceAttributes = {
    group: 'certificates.k8s.io',
    version: '*',
    resource: 'certificatesigningrequests',
    subresource: right,
    verb: 'create',
  };
  const sent = { user, uid, groups: groups?.slice(), extra: copied(extra), resourceAttributes };
  const { status } = await client.authorization.v1.subjectaccessreviews.create({ spec: sent });
  return status?.allowed === true;
}

function copied(extra: Readonly<Record<string, readonly string[]>> | undefined): Record<string, string[]> | undefined {
  if (extra === undefined) return undefined;
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
