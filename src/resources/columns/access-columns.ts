import { formatLabels } from '../../api/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates/v1.d.ts';
import type { ClusterTrustBundle, PodCertificateRequest } from '../../api/types/certificates/v1beta1.d.ts';
import type { ClusterRoleBinding, RoleBinding } from '../../api/types/rbac/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { humanDuration } from './age.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse, wide } from './column.ts';

type Binding = RoleBinding | ClusterRoleBinding;

/** Of RoleBindings and ClusterRoleBindings alike. */
export const roleBindingColumns: readonly Column[] = [
  nameColumn,
  column<Binding>('Role', 'Kind and name of the role', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`),
  ageColumn,
  wide<Binding>('Users', 'Users who have the role', (binding) => subjects(binding, 'User')),
  wide<Binding>('Groups', 'Groups that have the role', (binding) => subjects(binding, 'Group')),
  wide<Binding>('ServiceAccounts', 'Service accounts that have the role', (binding) =>
    subjects(binding, 'ServiceAccount'),
  ),
];

function subjects(binding: Binding, wanted: string): string {
  return each(binding.subjects)
    .filter(({ kind }) => kind === wanted)
    .map(({ namespace, name }) => (wanted === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ');
}

const SECOND_MS = 1000;

export const certificateSigningRequestColumns: readonly Column[] = [
  nameColumn,
  ageColumn,
  column<CertificateSigningRequest>('SignerName', 'Who shall sign', ({ spec }) => orElse(spec?.signerName, NONE)),
  column<CertificateSigningRequest>('Requestor', 'User who asked', ({ spec }) => spec?.username ?? ''),
  column<CertificateSigningRequest>('RequestedDuration', 'How long it shall be valid', requestedDuration),
  column<CertificateSigningRequest>('Condition', 'What was decided, and whether it is issued', decision),
];

function requestedDuration({ spec }: CertificateSigningRequest): string {
  return spec?.expirationSeconds === undefined ? NONE : humanDuration(spec.expirationSeconds * SECOND_MS);
}

function decision({ status }: CertificateSigningRequest): string {
  const types = new Set<string>(each(status?.conditions).map(({ type }) => type));
  const decided = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const isIssued = (status?.certificate ?? '') !== '';
  return `${decided}${types.has('Failed') ? ',Failed' : ''}${isIssued ? ',Issued' : ''}`;
}

export const clusterTrustBundleColumns: readonly Column[] = [
  nameColumn,
  column<ClusterTrustBundle>('SignerName', 'Whose certificates it is for', ({ spec }) =>
    orElse(spec?.signerName, NONE),
  ),
];

export const podCertificateRequestColumns: readonly Column[] = [
  nameColumn,
  column<PodCertificateRequest>('PodName', 'Pod that asks', ({ spec }) => spec?.podName ?? ''),
  column<PodCertificateRequest>(
    'ServiceAccountName',
    'Service account of the pod',
    ({ spec }) => spec?.serviceAccountName ?? '',
  ),
  column<PodCertificateRequest>('NodeName', 'Node of the pod', ({ spec }) => spec?.nodeName ?? ''),
  column<PodCertificateRequest>('SignerName', 'Who shall sign', ({ spec }) => spec?.signerName ?? ''),
  column<PodCertificateRequest>('State', 'What has become of the request', outcome),
  column<PodCertificateRequest>(
    'UnverifiedUserAnnotations',
    'Words of the pod to the signer, which nobody has checked',
    ({ spec }) => formatLabels(spec?.unverifiedUserAnnotations ?? {}),
  ),
];

const OUTCOMES = new Set(['Issued', 'Denied', 'Failed']);

function outcome({ status }: PodCertificateRequest): string {
  return each(status?.conditions).findLast(({ type }) => OUTCOMES.has(type))?.type ?? 'Pending';
}
