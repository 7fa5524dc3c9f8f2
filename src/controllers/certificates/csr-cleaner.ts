import { X509Certificate } from 'node:crypto';
import { CertificateSigningRequest, type Observed } from '../../client/index.ts';
import { controller, type Controller } from '../../kit/index.ts';

const HOUR_MS = 3_600_000;
const DECIDED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** Deletes requests an hour after they were signed, denied or failed, and pending ones after a day. */
export function csrCleaner(): Controller {
  return controller(CertificateSigningRequest, {
    queueName: 'certificate',
    name: 'csrcleaner',
    async reconcile(request, { objects, clock, after }) {
      const leftMs = Math.min(...deadlines(request)) - clock.now();
      if (leftMs > 0) after(leftMs + 1);
      else await objects(CertificateSigningRequest).delete(request.metadata.name ?? '');
    },
  });
}

/** The times after which a request is deleted; the earliest counts. */
function deadlines({ metadata, status }: Observed<CertificateSigningRequest>): number[] {
  const { conditions = [], certificate = '' } = status ?? {};
  const isIssued = certificate !== '';
  const made = Date.parse(metadata.creationTimestamp ?? '');
  if (conditions.length === 0) return [made + PENDING_MS];
  return conditions.flatMap(({ type, lastUpdateTime }) => {
    const updated = Date.parse(lastUpdateTime ?? '');
    if (type === 'Denied' || type === 'Failed') return [updated + DECIDED_MS];
    if (type !== 'Approved') return [];
    return isIssued ? [updated + DECIDED_MS, expiryOf(certificate)] : [updated + PENDING_MS];
  });
}

function expiryOf(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo);
  } catch {
    return Infinity; // not a certificate: only its signer knows when it expires
  }
}
