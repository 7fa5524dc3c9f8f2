import { formatLabels } from '../../api/index.ts';
import type { ClusterTrustBundle, PodCertificateRequest } from '../../api/types/certificates/v1beta1.d.ts';
import { column, each, nameColumn, NONE, orElse } from '../columns/column.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';

const GROUP = 'certificates.k8s.io';

/** The beta kinds of certificates: trust anchors, and certificates for pods. */
export const clusterTrustBundles = defineKind<ClusterTrustBundle>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: GROUP,
  plural: 'clustertrustbundles',
  featureGate: 'ClusterTrustBundle',
  columns: [
    nameColumn,
    column('SignerName', 'Whose certificates it is for', ({ spec }) => orElse(spec?.signerName, NONE)),
  ],
  storedVersion: 'v1beta1',
  deprecations: {
    v1alpha1: 'certificates.k8s.io/v1alpha1 ClusterTrustBundle is deprecated in v1.34+, unavailable in v1.37+',
  },
  checkName: pathSegmentName,
  requiresResourceVersion: true,
  selectable: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
});

export const podCertificateRequests = defineKind<PodCertificateRequest>({
  group: GROUP,
  plural: 'podcertificaterequests',
  announcedVersions: ['v1alpha1@..1.34'],
  featureGate: 'PodCertificateRequest',
  columns: [
    nameColumn,
    column('PodName', 'Pod that asks', ({ spec }) => spec?.podName ?? ''),
    column('ServiceAccountName', 'Service account of the pod', ({ spec }) => spec?.serviceAccountName ?? ''),
    column('NodeName', 'Node of the pod', ({ spec }) => spec?.nodeName ?? ''),
    column('SignerName', 'Who shall sign', ({ spec }) => spec?.signerName ?? ''),
    column('State', 'What has become of the request', outcome),
    column('UnverifiedUserAnnotations', 'Annotations for the signer, unverified', ({ spec }) =>
      formatLabels(spec?.unverifiedUserAnnotations ?? {}),
    ),
  ],
  storedVersion: 'v1beta1',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  resetFields: { status: ['spec'] },
  selectable: {
    'spec.signerName': ({ spec }) => spec.signerName,
    'spec.podName': ({ spec }) => spec.podName,
    'spec.nodeName': ({ spec }) => spec.nodeName,
  },
});

const OUTCOMES = new Set(['Issued', 'Denied', 'Failed']);

function outcome({ status }: PodCertificateRequest): string {
  return each(status?.conditions).findLast(({ type }) => OUTCOMES.has(type))?.type ?? 'Pending';
}
