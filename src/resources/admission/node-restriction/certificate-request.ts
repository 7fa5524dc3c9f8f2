import { certificateRequestOf, KUBELET_CLIENT_SIGNER, KUBELET_SERVING_SIGNER } from '../../../api/meaning/index.ts';
import type { CertificateSigningRequest } from '../../../api/types/certificates/v1.d.ts';
import type { AdmissionAttributes } from '../../../apiserver/index.ts';
import { messageOf } from '../../../base/index.ts';

/** The signers of node certificates. */
const NODE_SIGNERS = [KUBELET_SERVING_SIGNER, KUBELET_CLIENT_SIGNER];

/** Why a node may not request this certificate: it must be for the node itself. */
export function signingProblem(node: string, { operation, object }: AdmissionAttributes): string | undefined {
  if (operation !== 'CREATE') return undefined;
  const { spec } = object as unknown as CertificateSigningRequest;
  if (!NODE_SIGNERS.includes(spec.signerName)) return undefined;
  const wanted = `system:node:${node}`;
  try {
    const { commonName } = certificateRequestOf(spec.request);
    return commonName === wanted ? undefined : `can only create a node CSR with CN=${wanted}`;
  } catch (error) {
    return `unable to parse csr: ${messageOf(error)}`;
  }
}
