import { quoteGo } from '../../api/index.ts';
import { API_CLIENT_SIGNER, certificateRequestOf } from '../../api/meaning/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionTarget, Authorizer } from '../../apiserver/index.ts';
import { deepEqual, messageOf } from '../../base/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';

const GROUP = 'certificates.k8s.io';

/** Requires the permission `approve` for the signer from users who approve or deny. */
export function certificateApproval({ authorizer }: AdmissionParts): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: isAbout('UPDATE', 'approval'),
    async validate(attributes) {
      const { signerName } = requestOf(attributes.old).spec;
      if (await maySign(authorizer, attributes, { verb: 'approve', signerName })) return;
      throw refusal(attributes, `user not permitted to approve requests with signerName ${quoteGo(signerName)}`);
    },
  };
}

/** Requires the permission `sign` for the signer from users who write a certificate or a condition. */
export function certificateSigning({ authorizer }: AdmissionParts): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: isAbout('UPDATE', 'status'),
    async validate(attributes) {
      const [before, after] = [requestOf(attributes.old), requestOf(attributes.object)];
      const isSame =
        before.status?.certificate === after.status?.certificate &&
        deepEqual(before.status?.conditions ?? [], after.status?.conditions ?? []);
      const { signerName } = before.spec;
      if (isSame || (await maySign(authorizer, attributes, { verb: 'sign', signerName }))) return;
      throw refusal(attributes, `user not permitted to sign requests with signerName ${quoteGo(signerName)}`);
    },
  };
}

const MASTERS = 'system:masters';

/** Refuses client certificates that would put their user into `system:masters`. */
export function certificateSubjectRestriction(): AdmissionPlugin {
  return {
    name: 'CertificateSubjectRestriction',
    handles: isAbout('CREATE', ''),
    validate(attributes) {
      const { signerName, request } = requestOf(attributes.object).spec;
      if (signerName !== API_CLIENT_SIGNER) return;
      const problem = subjectProblem(request);
      if (problem !== undefined) throw refusal(attributes, problem);
    },
  };
}

function subjectProblem(request: string): string | undefined {
  try {
    const isMaster = certificateRequestOf(request).organizations.includes(MASTERS);
    return isMaster ? `use of ${API_CLIENT_SIGNER} signer with ${MASTERS} group is not allowed` : undefined;
  } catch (error) {
    return `failed to parse CSR: ${messageOf(error)}`;
  }
}

function isAbout(wanted: string, below: string): (target: AdmissionTarget) => boolean {
  return ({ operation, resource, subresource }) =>
    operation === wanted &&
    resource.group === GROUP &&
    resource.plural === 'certificatesigningrequests' &&
    subresource === below;
}

function requestOf(object: AdmissionAttributes['object']): CertificateSigningRequest {
  return object as unknown as CertificateSigningRequest;
}

/** The permission is one on `signers` with the signer's name, or with all names of its domain. */
export async function maySign(
  authorizer: Authorizer | undefined,
  { user, signal }: Pick<AdmissionAttributes, 'user' | 'signal'>,
  { verb, signerName }: { readonly verb: string; readonly signerName: string },
): Promise<boolean> {
  const [domain = ''] = signerName.split('/');
  for (const name of [signerName, `${domain}/*`]) {
    const info = {
      isResource: true,
      path: '',
      verb,
      group: GROUP,
      version: '*',
      namespace: '',
      resource: 'signers',
      subresource: '',
      name,
      subpath: '',
      parts: ['signers', name],
    };
    if ((await authorizer?.authorize({ user, info, signal }))?.verdict === 'allow') return true;
  }
  return false;
}
