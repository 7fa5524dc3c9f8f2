import { dns1123SubdomainProblems, type FieldError, forbiddenField, invalidValue, required } from '../../api/index.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/types/core/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import type { Whole } from '../kind.ts';
import { checkLabelSelector } from '../label-selector-rules.ts';
import { unifiedDiff } from '../unified-diff.ts';
import { amount } from './resource-list.ts';
import { checkResourceAmount } from './resource-rules.ts';

type Claim = Whole<PersistentVolumeClaim>;

export function checkClaim({ spec }: Claim): FieldError[] {
  return checkClaimSpec(spec, 'spec');
}

export function checkClaimSpec(spec: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const { accessModes = [], storageClassName = '', volumeAttributesClassName = '' } = spec;
  return [
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`, 'at least 1 access mode is required')] : []),
    ...checkLabelSelector(spec.selector, `${field}.selector`),
    ...checkAccessModes(accessModes, `${field}.accessModes`),
    ...checkSize(spec, `${field}.resources[storage]`),
    ...checkClassName(storageClassName, `${field}.storageClassName`),
    ...checkDataSources(spec, field),
    ...checkClassName(volumeAttributesClassName, `${field}.volumeAttributesClassName`),
  ];
}

function checkSize({ resources }: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const text = resources?.requests?.['storage'];
  if (text === undefined) return [required(field)];
  if (amount(text).sign <= 0) return [invalidValue(field, text, 'must be greater than zero')];
  return checkResourceAmount('storage', text, field);
}

function checkClassName(name: string, field: string): FieldError[] {
  if (name === '') return [];
  return dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkDataSources({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, source] of Object.entries({ dataSource, dataSourceRef })) {
    if (source === undefined) continue;
    const at = `${field}.${name}`;
    if (source.name === '') errors.push(required(`${at}.name`));
    if (source.kind === '') errors.push(required(`${at}.kind`));
    const group = source.apiGroup ?? '';
    if (group === '' && source.kind !== 'PersistentVolumeClaim') {
      const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
      errors.push(invalidValue(at, source.kind, detail));
    }
    if (group !== '') errors.push(...checkClassName(group, `${at}.apiGroup`));
  }
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  const { namespace = '', ...local } = dataSourceRef;
  if (namespace !== '') {
    errors.push(
      invalidValue(field, `${field}.dataSource`, 'may not be specified when dataSourceRef.namespace is specified'),
    );
  } else if (!deepEqual(local, dataSource)) {
    errors.push(invalidValue(field, `${field}.dataSource`, 'must match dataSourceRef'));
  }
  return errors;
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** A claim's spec does not change, but a bound claim may grow. */
export function checkClaimUpdate(claim: Claim, old: Claim): FieldError[] {
  const errors = checkClaim(claim);
  if (claim.metadata.annotations?.[CLASS_ANNOTATION] !== old.metadata.annotations?.[CLASS_ANNOTATION]) {
    const field = `metadata.annotations[${CLASS_ANNOTATION}]`;
    errors.push(invalidValue(field, claim.metadata.annotations?.[CLASS_ANNOTATION] ?? '', 'field is immutable'));
  }
  const now = comparable(claim, old);
  const was: PersistentVolumeClaimSpec =
    (old.spec.volumeName ?? '') === '' ? { ...old.spec, volumeName: claim.spec.volumeName } : old.spec;
  if (!deepEqual(now, was)) {
    const what =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbiddenField('spec', `${what}\n${unifiedDiff(was, now)}`));
  }
  const size = claim.spec.resources?.requests?.['storage'];
  const oldSize = old.spec.resources?.requests?.['storage'];
  if (size !== undefined && oldSize !== undefined && amount(size).compare(amount(oldSize)) < 0) {
    if (amount(size).compare(amount(old.status.capacity?.['storage'] ?? '0')) <= 0) {
      const detail = 'field can not be less than status.capacity';
      errors.push(forbiddenField('spec.resources.requests.storage', detail));
    }
  }
  if (claim.spec.volumeMode !== old.spec.volumeMode) {
    errors.push(invalidValue('volumeMode', claim.spec.volumeMode ?? null, 'field is immutable'));
  }
  return [...errors, ...checkAttributesClassUpdate(claim, old)];
}

/** The new spec with all mutable fields reset. */
function comparable({ spec, status }: Claim, old: Claim): PersistentVolumeClaimSpec {
  const result: PersistentVolumeClaimSpec = { ...spec };
  const isFromNothing = old.spec.storageClassName === undefined && spec.storageClassName !== undefined;
  if (isFromNothing && old.metadata.annotations?.[CLASS_ANNOTATION] === undefined) delete result.storageClassName;
  if (status.phase !== 'Bound') return result;
  const storage = old.spec.resources?.requests?.['storage'];
  if (spec.resources?.requests !== undefined && storage !== undefined) {
    result.resources = { ...spec.resources, requests: { ...spec.resources.requests, storage } };
  }
  result.volumeAttributesClassName = old.spec.volumeAttributesClassName;
  return result;
}

function checkAttributesClassUpdate({ spec }: Claim, old: Claim): FieldError[] {
  const name = spec.volumeAttributesClassName;
  if (name === old.spec.volumeAttributesClassName) return [];
  if (old.status.currentVolumeAttributesClassName === undefined) return [];
  const field = 'spec.volumeAttributesClassName';
  const suffix = 'is forbidden when status.currentVolumeAttributesClassName is not nil';
  if (name === undefined) return [forbiddenField(field, `update to nil ${suffix}`)];
  return name === '' ? [forbiddenField(field, `update to empty string ${suffix}`)] : [];
}

export function checkClaimStatus({ status }: Claim): FieldError[] {
  return Object.entries(status.capacity ?? {}).flatMap(([name, text]) =>
    amount(text).sign < 0
      ? [invalidValue(`status.capacity[${name}]`, amount(text).value(), 'must be a valid resource quantity')]
      : [],
  );
}

const OTHERS = new Set(['ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany']);

/** ReadWriteOncePod excludes other access modes. */
export function checkAccessModes(modes: readonly string[], field: string): FieldError[] {
  const isMixed = modes.includes('ReadWriteOncePod') && modes.some((mode) => OTHERS.has(mode));
  return isMixed ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : [];
}
