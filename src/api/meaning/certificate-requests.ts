import { parseSigningRequest, type SigningRequest } from '../../wire/certificates/index.ts';

/** Signers that every cluster has. */
export const KUBELET_SERVING_SIGNER = 'kubernetes.io/kubelet-serving';
export const KUBELET_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const API_CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client';
export const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';

/** The parsed `spec.request` of a CertificateSigningRequest; throws in upstream's words if it is malformed. */
export function certificateRequestOf(request: string): SigningRequest {
  return parseSigningRequest(Buffer.from(request, 'base64').toString('latin1'));
}

const NODES = 'system:nodes';

/** Why a request is not one for a kubelet's client certificate; undefined if it is. */
export function kubeletClientProblem(request: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return nodeNameProblem(request) ?? usagesProblem(usages, 'client auth');
}

/** Why a request is not one for a kubelet's serving certificate; undefined if it is. */
export function kubeletServingProblem(request: SigningRequest, usages: readonly string[]): string | undefined {
  if (!isOfNodes(request)) return 'subject organization is not system:nodes';
  if (request.dnsNames.length === 0 && request.ipAddresses.length === 0) return 'DNS or IP subjectAltName is required';
  if (request.emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (request.uris.length > 0) return 'URI subjectAltNames are not allowed';
  return usagesProblem(usages, 'server auth') ?? nodeNameProblem(request);
}

function isOfNodes({ organizations }: SigningRequest): boolean {
  return organizations.length === 1 && organizations[0] === NODES;
}

function nodeNameProblem({ commonName }: SigningRequest): string | undefined {
  return commonName.startsWith('system:node:') ? undefined : 'subject common name does not begin with system:node:';
}

/** Keys that cannot encipher do not need that usage. */
function usagesProblem(usages: readonly string[], purpose: string): string | undefined {
  const wanted = new Set(usages);
  const isEnough = wanted.has('digital signature') && wanted.has(purpose);
  const others = [...wanted].filter((usage) => !['digital signature', 'key encipherment', purpose].includes(usage));
  if (isEnough && others.length === 0) return undefined;
  const all = ['digital signature', 'key encipherment', purpose].sort();
  return `usages did not match [${all.join(' ')}]`;
}
