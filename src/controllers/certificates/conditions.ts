import type { CertificateSigningRequestCondition } from '../../api/types/certificates/v1.d.ts';
import type { CertificateSigningRequest, Observed } from '../../client/index.ts';

/** Whether a condition of this type is there; those that decide something are never false. */
export function hasCondition({ status }: Observed<CertificateSigningRequest>, wanted: string): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === wanted);
}

/** The conditions of a request and one more. */
export function conditionsWith(
  { status }: Observed<CertificateSigningRequest>,
  condition: CertificateSigningRequestCondition,
): CertificateSigningRequestCondition[] {
  return [...(status?.conditions ?? []), condition];
}
