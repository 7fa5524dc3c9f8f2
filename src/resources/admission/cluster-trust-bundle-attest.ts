import type { ClusterTrustBundle } from '../../api/types/certificates/v1alpha1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { deepEqual } from '../../base/index.ts';
import { mayDo } from './access-question.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import { isWriteOf, writtenObject } from './written-object.ts';

/** Requires the permission `attest` for the bundle's signer, or for all signers of its domain. */
export function clusterTrustBundleAttest({ authorizer }: Pick<AdmissionParts, 'authorizer'>): AdmissionPlugin {
  async function mayAttest(request: AdmissionAttributes, signer: string): Promise<boolean> {
    if (authorizer === undefined) return false;
    const asked = { verb: 'attest', group: 'certificates.k8s.io', version: '*', resource: 'signers' };
    const domain = signer.split('/')[0] ?? '';
    return (
      (await mayDo(authorizer, request, { ...asked, name: signer })) ||
      (await mayDo(authorizer, request, { ...asked, name: `${domain}/*` }))
    );
  }

  return {
    name: 'ClusterTrustBundleAttest',
    handles: (target) => isWriteOf(target, { group: 'certificates.k8s.io', plural: 'clustertrustbundles' }),
    async validate(request) {
      const { signerName = '' } = writtenObject<ClusterTrustBundle>(request).spec;
      if (signerName === '' || changesOwnershipOnly(request) || (await mayAttest(request, signerName))) return;
      throw refusal(request, `user not permitted to attest for signerName ${JSON.stringify(signerName)}`);
    },
  };
}

/** Whether an update changes nothing but what garbage collection and storage migration change. */
function changesOwnershipOnly({ operation, object, old }: AdmissionAttributes): boolean {
  return operation === 'UPDATE' && deepEqual(withoutOwnership(object), withoutOwnership(old));
}

function withoutOwnership(object: AdmissionAttributes['object']): unknown {
  const { ownerReferences: _, finalizers: __, managedFields: ___, ...metadata } = object?.metadata ?? {};
  return { ...object, metadata };
}
