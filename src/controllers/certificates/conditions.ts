import type { CertificateSigningRequestCondition } from '../../api/types/certificates/v1.d.ts';
import type { CertificateSigningRequest, Observed } from '../../client/index.ts';

/** Whether the request has a condition of this type; approval conditions are never false. */
export function hasCondition({ status }: Observed<CertificateSigningRequest>, wanted: string): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === wanted);
}

/** The conditions of a request plus one. */
export function conditionsWith(
  { status }: Observed<CertificateSigningRequest>,
  condition: CertificateSigningRequestCondition,
): CertificateSigningRequestCondition[] {
  return [...(status?.conditions ?? []), condition];
}
