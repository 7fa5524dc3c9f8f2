import { X509Certificate } from 'node:crypto';
import {
  asJson,
  duplicate,
  forbiddenField,
  formatTime,
  instantOfMillis,
  invalidValue,
  notSupported,
  quoteGo,
  required,
} from '../../api/index.ts';
import type { FieldError } from '../../api/index.ts';
import type {
  CertificateSigningRequest,
  CertificateSigningRequestCondition,
  CertificateSigningRequestSpec,
} from '../../api/types/certificates/v1.d.ts';
import type { Strategy, UserInfo } from '../../apiserver/index.ts';
import { checkSignerName } from '../signer-name-rules.ts';
import { certificateRequestOf, LEGACY_SIGNER } from '../../api/meaning/index.ts';
import { deepEqual, humanDuration, messageOf } from '../../base/index.ts';
import { arrange } from '../arrange.ts';
import { ageColumn, column, each, nameColumn, NONE, orElse } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { pathSegmentName } from '../name-rules.ts';
import { firstIndexes } from '../first-indexes.ts';

type Request = Whole<CertificateSigningRequest>;

export const certificateSigningRequests = defineKind<CertificateSigningRequest>({
  changeSteps: ['metadata', 'object', 'change', 'metadataChange'],
  group: 'certificates.k8s.io',
  plural: 'certificatesigningrequests',
  columns: [
    nameColumn,
    ageColumn,
    column('SignerName', 'Who shall sign', ({ spec }) => orElse(spec?.signerName, NONE)),
    column('Requestor', 'User who asked', ({ spec }) => spec?.username ?? ''),
    column('RequestedDuration', 'How long it shall be valid', requestedDuration),
    column('Condition', 'What was decided, and whether it is issued', decision),
  ],
  resetFields: {
    '': ['spec', 'status'],
    approval: ['spec', 'status.certificate'],
    status: ['spec', 'status.conditions'],
  },
  checkName: pathSegmentName,
  metadataRules: 'own except names',

  /** The requester is the authenticated user, whatever the object says. */
  prepareForCreate(request, { user }) {
    request.spec = { ...request.spec, ...requester(user) };
  },

  /** A request does not change; approving and signing have their own subresources. */
  prepareForUpdate(request, old) {
    request.spec = old.spec;
  },

  prepareForStatusUpdate(request, old, { now }) {
    keepConditions(request, old, 'Approved');
    keepConditions(request, old, 'Denied');
    noteTimes(request, old, now);
  },

  validate: checkRequest,
  validateStatus: checkRequestStatus,
  selectable: { 'spec.signerName': ({ spec }) => spec.signerName },
  subresources: {
    approval: (info, own) => ({
      type: 'view',
      verbs: info.verbs,
      strategy: approvalStrategy(own, (object) => arrange(object, info.type)),
    }),
  },
});

function requester({ name, uid, groups, extra }: UserInfo): Partial<CertificateSigningRequestSpec> {
  const hasExtra = extra !== undefined && Object.keys(extra).length > 0;
  return {
    username: name,
    uid: uid === '' ? undefined : uid,
    groups: groups.length === 0 ? undefined : [...groups],
    extra: hasExtra ? Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) : undefined,
  };
}

/** Keeps the old conditions of a type, unless some were added or removed, which validation refuses. */
function keepConditions(request: Request, old: Request, type: string): void {
  const conditions = request.status.conditions ?? [];
  const before = (old.status.conditions ?? []).filter((condition) => condition.type === type);
  const places = conditions.flatMap((condition, index) => (condition.type === type ? [index] : []));
  if (before.length !== places.length || before.length === 0) return;
  const kept = [...conditions];
  for (const [index, place] of places.entries()) kept[place] = before[index] as CertificateSigningRequestCondition;
  request.status = { ...request.status, conditions: kept };
}

function noteTimes(request: Request, old: Request, now: number): void {
  const { conditions } = request.status;
  if (conditions === undefined) return;
  const at = formatTime(instantOfMillis(now));
  request.status = {
    ...request.status,
    conditions: conditions.map((condition) => {
      const before = (old.status.conditions ?? []).find(
        ({ type, status, lastTransitionTime }) =>
          type === condition.type && status === condition.status && (lastTransitionTime ?? '') !== '',
      );
      return {
        ...condition,
        lastUpdateTime: condition.lastUpdateTime ?? at,
        lastTransitionTime: condition.lastTransitionTime ?? before?.lastTransitionTime ?? at,
      };
    }),
  };
}

/** Approving or denying only changes the conditions. */
function approvalStrategy(own: Strategy, order: (object: never) => void): Strategy {
  return {
    ...own,
    prepareForUpdate(object, old, { now }) {
      const request = object as unknown as Request;
      const was = old as unknown as Request;
      noteTimes(request, was, now);
      request.spec = was.spec;
      request.status = { ...was.status, conditions: request.status.conditions };
      order(object as never);
    },
    validateUpdate: (object, old) => checkApproval(object as unknown as Request, old as unknown as Request),
  };
}

const CONDITIONS = 'status.conditions';

function checkRequest({ spec, status }: Request): FieldError[] {
  const { request, usages = [], signerName } = spec;
  const errors: FieldError[] = [];
  const problem = requestProblem(request ?? '');
  if (problem !== undefined) errors.push(invalidValue('spec.request', request, problem));
  if (usages.length === 0) errors.push(required('spec.usages'));
  const first = firstIndexes(usages);
  for (const [index, usage] of usages.entries()) {
    if (first.get(usage) !== index) errors.push(duplicate(`spec.usages[${index}]`, usage));
  }
  errors.push(...checkSignerName(signerName, 'spec.signerName'));
  if (signerName === LEGACY_SIGNER) {
    errors.push(
      invalidValue('spec.signerName', signerName, 'the legacy signerName is not allowed via this API version'),
    );
  }
  return [...errors, ...checkConditions(status.conditions ?? []), ...checkCertificate(status.certificate ?? '')];
}

function requestProblem(request: string): string | undefined {
  try {
    return certificateRequestOf(request).signatureProblem;
  } catch (error) {
    return messageOf(error);
  }
}

function checkCertificate(certificate: string): FieldError[] {
  const problem = certificate === '' ? undefined : certificateProblem(Buffer.from(certificate, 'base64').toString());
  return problem === undefined ? [] : [invalidValue('status.certificate', '<certificate data>', problem)];
}

const BLOCK = /-----BEGIN ([^-]*)-----\r?\n([^-]*)-----END \1-----/g;

function isCertificate(body: string): boolean {
  try {
    return new X509Certificate(Buffer.from(body, 'base64')).raw.length > 0;
  } catch {
    return false; // OpenSSL's reasons do not help the client
  }
}

function certificateProblem(text: string): string | undefined {
  const blocks = [...text.matchAll(BLOCK)];
  for (const [, type = '', body = ''] of blocks) {
    if (type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${quoteGo(type)}`;
    if (body.includes(':')) return 'no PEM block headers are permitted';
    if (body.trim() === '') return 'found CERTIFICATE PEM block containing 0 certificates';
    if (!isCertificate(body)) return 'x509: malformed certificate';
  }
  return blocks.length === 0 ? 'must contain at least one CERTIFICATE PEM block' : undefined;
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
    else if (!allowed.includes(status)) errors.push(notSupported(`${field}.status`, asJson(status ?? ''), allowed));
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

/** Approval and denial cannot be undone. */
function checkKept(request: Request, old: Request): FieldError[] {
  return ['Approved', 'Denied', 'Failed'].flatMap((type) =>
    ofType(request, type).length < ofType(old, type).length
      ? [forbiddenField(CONDITIONS, `updates may not remove a condition of type ${quoteGo(type)}`)]
      : [],
  );
}

/** The signer writes the certificate; it may not approve. */
function checkRequestStatus(request: Request, old: Request): FieldError[] {
  const errors = [...checkRequest(request), ...checkKept(request, old)];
  for (const type of ['Approved', 'Denied']) {
    const now = ofType(request, type);
    const was = ofType(old, type);
    const name = quoteGo(type);
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

function checkApproval(request: Request, old: Request): FieldError[] {
  const errors = [...checkRequest(request), ...checkKept(request, old)];
  if ((request.status.certificate ?? '') !== (old.status.certificate ?? '')) {
    errors.push(forbiddenField('status.certificate', 'updates may not set certificate content'));
  }
  return errors;
}

const SECOND_MS = 1000;

function requestedDuration({ spec }: CertificateSigningRequest): string {
  return spec?.expirationSeconds === undefined ? NONE : humanDuration(spec.expirationSeconds * SECOND_MS);
}

function decision({ status }: CertificateSigningRequest): string {
  const types = new Set<string>(each(status?.conditions).map(({ type }) => type));
  const decided = types.has('Denied') ? 'Denied' : types.has('Approved') ? 'Approved' : 'Pending';
  const isIssued = (status?.certificate ?? '') !== '';
  return `${decided}${types.has('Failed') ? ',Failed' : ''}${isIssued ? ',Issued' : ''}`;
}
