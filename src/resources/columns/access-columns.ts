import { formatLabels } from '../../api/index.ts';
import type { CertificateSigningRequest } from '../../api/types/certificates/v1.d.ts';
import type { ClusterTrustBundle, PodCertificateRequest } from '../../api/types/certificates/v1beta1.d.ts';
import type { ClusterRoleBinding, RoleBinding } from '../../api/types/rbac/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { humanDuration } from './age.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse } from './column.ts';

type Binding = RoleBinding | ClusterRoleBinding;

/** Of RoleBindings and ClusterRoleBindings alike. */
export const roleBindingColumns: readonly Column[] = [
  nameColumn,
  column<Binding>('Role', ({ roleRef }) => `${roleRef.kind}/${roleRef.name}`, {
    description: 'Kind and name of the role',
  }),
  ageColumn,
  column<Binding>('Users', (binding) => subjects(binding, 'User'), {
    isWide: true,
    description: 'Users who have the role',
  }),
  column<Binding>('Groups', (binding) => subjects(binding, 'Group'), {
    isWide: true,
    description: 'Groups that have the role',
  }),
  column<Binding>('ServiceAccounts', (binding) => subjects(binding, 'ServiceAccount'), {
    isWide: true,
    description: 'Service accounts that have the role',
  }),
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
  column<CertificateSigningRequest>('SignerName', ({ spec }) => orElse(spec?.signerName, NONE), {
    description: 'Who shall sign',
  }),
  column<CertificateSigningRequest>('Requestor', ({ spec }) => spec?.username ?? '', { description: 'User who asked' }),
  column<CertificateSigningRequest>('RequestedDuration', requestedDuration, {
    description: 'How long it shall be valid',
  }),
  column<CertificateSigningRequest>('Condition', decision, {
    description: 'What was decided, and whether it is issued',
  }),
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
  column<ClusterTrustBundle>('SignerName', ({ spec }) => orElse(spec?.signerName, NONE), {
    description: 'Whose certificates it is for',
  }),
];

export const podCertificateRequestColumns: readonly Column[] = [
  nameColumn,
  column<PodCertificateRequest>('PodName', ({ spec }) => spec?.podName ?? '', { description: 'Pod that asks' }),
  column<PodCertificateRequest>('ServiceAccountName', ({ spec }) => spec?.serviceAccountName ?? '', {
    description: 'Service account of the pod',
  }),
  column<PodCertificateRequest>('NodeName', ({ spec }) => spec?.nodeName ?? '', { description: 'Node of the pod' }),
  column<PodCertificateRequest>('SignerName', ({ spec }) => spec?.signerName ?? '', { description: 'Who shall sign' }),
  column<PodCertificateRequest>('State', outcome, { description: 'What has become of the request' }),
  column<PodCertificateRequest>(
    'UnverifiedUserAnnotations',
    ({ spec }) => formatLabels(spec?.unverifiedUserAnnotations ?? {}),
    { description: 'Words of the pod to the signer, which nobody has checked' },
  ),
];

const OUTCOMES = new Set(['Issued', 'Denied', 'Failed']);

function outcome({ status }: PodCertificateRequest): string {
  return each(status?.conditions).findLast(({ type }) => OUTCOMES.has(type))?.type ?? 'Pending';
}
