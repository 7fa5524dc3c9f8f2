import type { X509Certificate } from 'node:crypto';
import type { MetricRegistry } from '../base/index.ts';

/** DER-encoded object identifiers of SHA-1 signatures with RSA, DSA and elliptic curves. */
const SHA1_SIGNATURES = ['2a864886f70d010105', '2a8648ce380403', '2a8648ce3d0401'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

/** Counts certificates of other servers that future clients will reject, under Kubernetes' names. */
export function countWeakCertificates(metrics: MetricRegistry): (certificate: X509Certificate) => void {
  const missingNames = metrics.counter({
    name: 'apiserver_kube_aggregator_x509_missing_san_total',
    help: 'Connections to servers whose certificate has no alternative names.',
  });
  const insecureSignatures = metrics.counter({
    name: 'apiserver_kube_aggregator_x509_insecure_sha1_total',
    help: 'Connections to servers whose certificate is signed over SHA-1.',
  });
  missingNames.with();
  insecureSignatures.with();
  return ({ subjectAltName, raw }) => {
    if ((subjectAltName ?? '') === '') missingNames.with().add();
    if (SHA1_SIGNATURES.some((identifier) => raw.includes(identifier))) insecureSignatures.with().add();
  };
}
