import type { ClusterTrustBundle, PodCertificateRequest } from '../../api/types/certificates/v1beta1.d.ts';
import { clusterTrustBundleColumns, podCertificateRequestColumns } from '../columns/access-columns.ts';
import { defineKind } from '../kind.ts';
import { pathSegmentName } from '../name-rules.ts';

const GROUP = 'certificates.k8s.io';

/** The beta kinds of certificates: published trust anchors, and certificates for pods. */
export const clusterTrustBundles = defineKind<ClusterTrustBundle>({
  group: GROUP,
  plural: 'clustertrustbundles',
  featureGate: 'ClusterTrustBundle',
  columns: clusterTrustBundleColumns,
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
  featureGate: 'PodCertificateRequest',
  columns: podCertificateRequestColumns,
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
