import { NodeConnections, type NodeConnectionsOptions } from '../proxy/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import { renewedCredential } from './pki/issue-credential.ts';
import type { PlaneCertificates } from './plane-certificates.ts';

/** How nodes in other processes are reached. */
export interface KubeletOptions {
  /** Shown to kubelets; default one of the cluster's own authority. */
  readonly client?: Credential;
  /** PEM of the authorities of their certificates; default none, and the certificates are not verified. */
  readonly authorities?: string;
  /** Which of a node's addresses to connect to, best first; default upstream's order. */
  readonly addressTypes?: readonly string[];
}

/** The name by which nodes know the API server, as kubeadm has it. */
const KUBELET_CLIENT = { commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] };

export interface KubeletParts extends Pick<NodeConnectionsOptions, 'objects' | 'clock' | 'local' | 'dialer'> {
  readonly certificates: Pick<PlaneCertificates, 'issue' | 'clock'>;
}

/** Connections to the nodes of this process, and to those elsewhere. */
export function kubeletConnections(
  { client, authorities, addressTypes }: KubeletOptions,
  { certificates, ...parts }: KubeletParts,
): NodeConnections {
  const issued = renewedCredential(
    () => certificates.issue({ subject: KUBELET_CLIENT, usage: 'client' }),
    certificates.clock,
  );
  return new NodeConnections({
    ...parts,
    certificate: () => {
      const { certificate, privateKey } = client ?? issued();
      return { certificate, key: privateKey };
    },
    ...(authorities === undefined ? {} : { authorities: async () => authorities }),
    ...(addressTypes === undefined ? {} : { addressTypes }),
  });
}
