import { KeyObject, type X509Certificate } from 'node:crypto';
import {
  asJson,
  type FieldError,
  invalidValue,
  invalidWhole,
  notSupported,
  required,
  tooLong,
} from '../../api/index.ts';
import type { PodCertificateRequest } from '../../api/types/certificates/v1beta1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { pemBlocks, publicKeyOf } from '../../api/meaning/index.ts';
import { checkConditions } from '../condition-rules.ts';
import type { Whole } from '../kind.ts';
import { stubOf } from './pod-certificate-rules.ts';
import { certificateOf } from './trust-bundle-rules.ts';

type Request = Whole<PodCertificateRequest>;
type Status = Request['status'];

const CONDITIONS = 'status.conditions';
const OUTCOMES = ['Issued', 'Denied', 'Failed'];

/** A request is issued, denied or failed, once and for all; nothing else may be said of it. */
export function checkPodCertificateStatus(
  request: Request,
  old: Request,
  { now }: { readonly now: number },
): FieldError[] {
  const { status } = request;
  const ofConditions = [...checkOutcomes(status), ...checkConditions(status.conditions ?? [], CONDITIONS)];
  if (ofConditions.length > 0) return ofConditions;
  if (outcomeOf(old.status) !== undefined) {
    const detail = 'immutable after PodCertificateRequest is issued, denied, or failed';
    return isSame(status, old.status) ? [] : [invalidWhole('status', detail)];
  }
  switch (outcomeOf(status)) {
    case undefined: {
      const detail = 'status is immutable unless transitioning to "Issued", "Denied", or "Failed"';
      return isSame(status, old.status) ? [] : [invalidWhole('status', detail)];
    }
    case 'Issued':
      return checkIssued(request, old, now);
    default: {
      const detail = 'non-condition status fields must be empty when denying or failing the PodCertificateRequest';
      return isSame(status, { conditions: status.conditions }) ? [] : [invalidWhole('status', detail)];
    }
  }
}

function outcomeOf({ conditions }: Status): string | undefined {
  return conditions?.find(({ type, status }) => OUTCOMES.includes(type) && status === 'True')?.type;
}

function checkOutcomes({ conditions = [] }: Status): FieldError[] {
  let known = 0;
  return conditions.flatMap(({ type = '', status }, index) => {
    const field = `${CONDITIONS}.[${index}]`;
    if (!OUTCOMES.includes(type)) return [notSupported(`${field}.type`, type, OUTCOMES)];
    known += 1;
    const detail = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
    return [
      ...(known > 1 ? [invalidValue(`${field}.type`, type, detail)] : []),
      ...(status === 'True' ? [] : [notSupported(`${field}.status`, asJson(status ?? ''), ['True'])]),
    ];
  });
}

/** Empty members are equal to absent ones. */
function isSame(left: Status, right: Status): boolean {
  return deepEqual(withoutEmpty(left), withoutEmpty(right));
}

function withoutEmpty(status: Status): Status {
  const members = Object.entries(status).filter(
    ([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

const CHAIN = 'status.certificateChain';
const MAX_CHAIN_BYTES = 100 * 1024;

function checkIssued({ spec, status }: Request, old: Request, now: number): FieldError[] {
  const { certificateChain: chain = '' } = status;
  if (Buffer.byteLength(chain) > MAX_CHAIN_BYTES) return [tooLong(CHAIN, MAX_CHAIN_BYTES)];
  const [leaf, ...others] = pemBlocks(chain);
  const wrong = (detail: string): FieldError[] => [invalidValue(CHAIN, chain, detail)];
  if (leaf === undefined) return wrong('issued certificate chain must contain at least one certificate');
  if (leaf.type !== 'CERTIFICATE')
    return wrong('issued certificate chain must consist entirely of CERTIFICATE PEM blocks');
  const certificate = certificateOf(leaf.bytes);
  if (certificate === undefined) return wrong('leaf certificate does not parse as valid X.509');
  const ofNames = checkNames(certificate);
  const key = requestedKey(old.spec);
  if (!(key instanceof KeyObject)) return [...ofNames, invalidWhole(key.field, key.detail)];
  if (!key.equals(certificate.publicKey))
    return [...ofNames, ...wrong('leaf certificate was not issued to the requested public key')];
  const errors = [...ofNames, ...checkTimesSet(status)];
  if (errors.length > 0) return errors;
  const ofTimes = checkTimes(status, certificate, { most: spec.maxExpirationSeconds ?? 0, now });
  if (ofTimes.length > 0) return ofTimes;
  for (const { type, bytes } of others) {
    if (type !== 'CERTIFICATE') return wrong('issued certificate chain must consist entirely of CERTFICATE PEM blocks'); // as upstream spells it
    if (certificateOf(bytes) === undefined) return wrong('intermediate certificate does not parse as valid X.509');
  }
  return [];
}

function checkNames({ subjectAltName = '' }: X509Certificate): FieldError[] {
  const names = subjectAltName
    .split(', ')
    .flatMap((entry) => (entry.startsWith('DNS:') ? [entry.slice('DNS:'.length)] : []));
  const emails = subjectAltName
    .split(', ')
    .flatMap((entry) => (entry.startsWith('email:') ? [entry.slice('email:'.length)] : []));
  const wrong = (name: string, detail: string): FieldError => invalidValue(CHAIN, name, `leaf certificate${detail}`);
  return [
    ...names.flatMap((name) => [
      ...(name === '' ? [wrong(name, ' should not contain empty DNSName')] : []),
      ...(name.includes('..') ? [wrong(name, "'s DNSName should not contain '..'")] : []),
      ...(/^\.|\.$/.test(name) ? [wrong(name, "'s DNSName should not start or end with '.'")] : []),
    ]),
    ...emails
      .filter((email) => !/^[^@\s]+@[^@\s]+$/.test(email))
      .map((email) => wrong(email, ' should not contain invalid EmailAddress')),
  ];
}

/** The key that was asked for, or what is wrong with it. */
function requestedKey(spec: Request['spec']): KeyObject | { readonly field: string; readonly detail: string } {
  const [stub, key] = [spec.stubPKCS10Request || '', spec.pkixPublicKey || ''];
  if (stub !== '') {
    const wrong = { field: 'spec.stubPKCS10Request', detail: 'must be a valid PKCS#10 CSR' };
    return stubOf(Buffer.from(stub, 'base64'))?.publicKey ?? wrong;
  }
  const wrong = { field: 'spec.pkixPublicKey', detail: 'must be a valid PKIX-serialized public key' };
  return publicKeyOf(Buffer.from(key, 'base64')) ?? wrong;
}

const BEGINS = 'status.notBefore';
const ENDS = 'status.notAfter';
const REFRESH = 'status.beginRefreshAt';

function checkTimesSet({ notBefore, notAfter, beginRefreshAt }: Status): FieldError[] {
  const detail = 'must be present and consistent with the issued certificate';
  const range = 'must be present and in the range [notbefore+10min, notafter-10min]';
  return [
    ...(notBefore === undefined ? [required(BEGINS, detail)] : []),
    ...(notAfter === undefined ? [required(ENDS, detail)] : []),
    ...(beginRefreshAt === undefined ? [required(REFRESH, range)] : []),
  ];
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The times are those of the certificate, which begins now and lasts from an hour to as long as was asked for. */
function checkTimes(
  { notBefore = '', notAfter = '', beginRefreshAt = '' }: Status,
  { validFrom, validTo }: X509Certificate,
  { most, now }: { readonly most: number; readonly now: number },
): FieldError[] {
  const [start, end, refresh] = [Date.parse(notBefore), Date.parse(notAfter), Date.parse(beginRefreshAt)];
  const lifetimeMs = Date.parse(validTo) - Date.parse(validFrom);
  const lifetimeNs = BigInt(lifetimeMs) * 1_000_000n;
  const checks: readonly (readonly [isRight: boolean, field: string, value: unknown, detail: string])[] = [
    [
      start === Date.parse(validFrom),
      BEGINS,
      notBefore,
      'must be set to the NotBefore time encoded in the leaf certificate',
    ],
    [
      Math.abs(start - now) < 5 * MINUTE_MS,
      BEGINS,
      notBefore,
      "must be set to within 5 minutes of kube-apiserver's current time",
    ],
    [end === Date.parse(validTo), ENDS, notAfter, 'must be set to the NotAfter time encoded in the leaf certificate'],
    [lifetimeMs >= HOUR_MS, CHAIN, Number(lifetimeNs), 'leaf certificate lifetime must be >= 1 hour'],
    [
      lifetimeMs <= most * 1000,
      CHAIN,
      Number(lifetimeNs),
      `leaf certificate lifetime must be <= spec.maxExpirationSeconds (${most})`,
    ],
    [refresh >= start + 10 * MINUTE_MS, REFRESH, beginRefreshAt, 'must be at least 10 minutes after status.notBefore'],
    [refresh <= end - 10 * MINUTE_MS, REFRESH, beginRefreshAt, 'must be at least 10 minutes before status.notAfter'],
  ];
  const failed = checks.find(([isRight]) => !isRight);
  return failed === undefined ? [] : [invalidValue(failed[1], failed[2], failed[3])];
}
