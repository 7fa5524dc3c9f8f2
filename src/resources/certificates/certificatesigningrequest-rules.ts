import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
} from '../../api/types/certificates/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { checkSignerName } from './signer-name-rules.ts';

type Request = Whole<CertificateSigningRequest>;

const CONDITIONS = 'status.conditions';
const LEGACY_SIGNER = 'kubernetes.io/legacy-unknown';

export function checkRequest({ spec, status }: Request): FieldError[] {
  const { request, usages = [], signerName } = spec;
  const errors: FieldError[] = [];
  const text = Buffer.from(request ?? '', 'base64').toString('latin1');
  if (!/-----BEGIN CERTIFICATE REQUEST-----[^-]*-----END CERTIFICATE REQUEST-----/.test(text)) {
    errors.push(invalidValue('spec.request', request, 'PEM block type must be CERTIFICATE REQUEST'));
  }
  if (usages.length === 0) errors.push(required('spec.usages'));
  for (const [index, usage] of usages.entries()) {
    if (usages.indexOf(usage) < index) errors.push(duplicate(`spec.usages[${index}]`, usage));
  }
  errors.push(...checkSignerName(signerName, 'spec.signerName'));
  if (signerName === LEGACY_SIGNER) {
    errors.push(
      invalidValue('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version'),
    );
  }
  return [...errors, ...checkConditions(status.conditions ?? [])];
}

const ONLY_TRUE = new Set(['Approved', 'Denied', 'Failed']);

function checkConditions(conditions: readonly CertificateSigningRequestCondition[]): FieldError[] {
  const seen = new Set<string>();
  return conditions.flatMap(({ type, status }, index) => {
    const field = `${CONDITIONS}[${index}]`;
    const errors: FieldError[] = [];
    if (type === '') errors.push(required(`${field}.type`));
    const allowed = ONLY_TRUE.has(type) ? ['True'] : ['False', 'True', 'Unknown'];
    if ((status ?? '') === '') errors.push(required(`${field}.status`));
    else if (!allowed.includes(status)) errors.push(notSupported(`${field}.status`, status, allowed));
    const opposite = type === 'Approved' ? 'Denied' : type === 'Denied' ? 'Approved' : undefined;
    if (opposite !== undefined && seen.has(opposite)) {
      errors.push(invalidValue(CONDITIONS, type, 'Approved and Denied conditions are mutually exclusive'));
    }
    if (seen.has(type)) errors.push(duplicate(`${field}.type`, type));
    seen.add(type);
    return errors;
  });
}

function ofType({ status }: Request, type: string): CertificateSigningRequestCondition[] {
  return (status.conditions ?? []).filter((condition) => condition.type === type);
}

/** What was decided is not taken back. */
function checkKept(request: Request, old: Request): FieldError[] {
  return ['Approved', 'Denied', 'Failed'].flatMap((type) =>
    ofType(request, type).length < ofType(old, type).length
      ? [forbiddenField(CONDITIONS, `updates may not remove a condition of type ${JSON.stringify(type)}`)]
      : [],
  );
}

/** The signer writes the certificate; approving is another's. */
export function checkRequestStatus(request: Request, old: Request): FieldError[] {
  const errors = [...checkRequest(request), ...checkKept(request, old)];
  for (const type of ['Approved', 'Denied']) {
    const now = ofType(request, type);
    const was = ofType(old, type);
    const name = JSON.stringify(type);
    if (now.length > was.length)
      errors.push(forbiddenField(CONDITIONS, `updates may not add a condition of type ${name}`));
    else if (now.length === was.length && !deepEqual(now, was)) {
      const detail = `updates may not modify a condition of type ${name}\n${unifiedDiff(was, now)}`;
      errors.push(forbiddenField(CONDITIONS, detail));
    }
  }
  if ((old.status.certificate ?? '') !== '' && request.status.certificate !== old.status.certificate) {
    errors.push(forbiddenField('status.certificate', 'updates may not modify existing certificate content'));
  }
  return errors;
}

export function checkApproval(request: Request, old: Request): FieldError[] {
  const errors = [...checkRequest(request), ...checkKept(request, old)];
  if ((request.status.certificate ?? '') !== (old.status.certificate ?? '')) {
    errors.push(forbiddenField('status.certificate', 'updates may not set certificate content'));
  }
  return errors;
}
