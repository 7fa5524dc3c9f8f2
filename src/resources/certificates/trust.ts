import { forbiddenField, formatLabels, invalid, quoteGo } from '../../api/index.ts';
import type { ClusterTrustBundle, PodCertificateRequest } from '../../api/types/certificates/v1beta1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { maySign } from '../admission/certificate-admission.ts';
import { column, each, nameColumn, NONE, orElse } from '../columns/column.ts';
import { defineKind, type Kind } from '../kind.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { checkPodCertificateRequest } from './pod-certificate-rules.ts';
import { checkPodCertificateStatus } from './pod-certificate-status-rules.ts';
import { bundleNameRule, checkBundle, checkBundleUpdate } from './trust-bundle-rules.ts';

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
  checkNameOf: bundleNameRule,
  requiresResourceVersion: true,
  validate: checkBundle,
  validateUpdate: checkBundleUpdate,
  selectable: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
});

export function podCertificateRequests({ accessReviewer }: KindEnvironment): Kind {
  return defineKind<PodCertificateRequest>({
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
    validate: checkPodCertificateRequest,
    validateUpdate: () => [],
    validateStatus: checkPodCertificateStatus,

    /** Signers need the permission to sign, once what they write is valid. */
    async prepareForStatusUpdate(request, old, context) {
      const { signerName } = old.spec;
      if (accessReviewer === undefined || deepEqual(request.status, old.status)) return;
      if (checkPodCertificateStatus(request, old, context).length > 0) return;
      if (await maySign(accessReviewer.authorizer, context, { verb: 'sign', signerName })) return;
      const detail = `User ${quoteGo(context.user.name)} is not permitted to "sign" for signer ${quoteGo(signerName)}`;
      const { name = '' } = request.metadata;
      const refused = [forbiddenField('spec.signerName', detail)];
      throw invalid({ group: GROUP, resource: 'PodCertificateRequest' }, name, refused);
    },
    resetFields: { status: ['spec'] },
    selectable: {
      'spec.signerName': ({ spec }) => spec.signerName,
      'spec.podName': ({ spec }) => spec.podName,
      'spec.nodeName': ({ spec }) => spec.nodeName,
    },
  });
}

const OUTCOMES = new Set(['Issued', 'Denied', 'Failed']);

function outcome({ status }: PodCertificateRequest): string {
  return each(status?.conditions).findLast(({ type }) => OUTCOMES.has(type))?.type ?? 'Pending';
}
