import {
  asJson,
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  internalForm,
  invalidValue,
  notSupported,
  qualifiedNameProblems,
  required,
  sentEmpty,
} from '../../api/index.ts';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedObjectReference,
} from '../../api/types/core/v1.d.ts';
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

/** The same for a changed claim: a source that was stored with a group lets updates keep any. */
export function checkChangedClaim({ spec }: Claim, { spec: old }: Claim): FieldError[] {
  const allowsAnyGroup = old.dataSource?.apiGroup !== undefined || old.dataSourceRef?.apiGroup !== undefined;
  return checkClaimSpec(spec, 'spec', { allowsAnyGroup });
}

export function checkClaimSpec(
  spec: PersistentVolumeClaimSpec,
  field: string,
  { allowsAnyGroup = false }: { readonly allowsAnyGroup?: boolean } = {},
): FieldError[] {
  const { accessModes = [], storageClassName = '', volumeAttributesClassName = '' } = spec;
  return [
    ...(accessModes.length === 0 ? [required(`${field}.accessModes`, 'at least 1 access mode is required')] : []),
    ...checkLabelSelector(spec.selector, `${field}.selector`),
    ...checkAccessModes(accessModes, `${field}.accessModes`),
    ...checkSize(spec, `${field}.resources[storage]`),
    ...checkClassName(storageClassName, `${field}.storageClassName`),
    ...checkVolumeMode(spec.volumeMode, `${field}.volumeMode`),
    ...checkDataSources(spec, field, allowsAnyGroup),
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

function checkDataSources(
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  field: string,
  allowsAnyGroup: boolean,
): FieldError[] {
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
    if (group !== '' && !allowsAnyGroup) errors.push(...checkClassName(group, `${at}.apiGroup`));
    const { namespace: other = '' } = source as TypedObjectReference;
    if (name === 'dataSourceRef' && other !== '') {
      errors.push(...dns1123LabelProblems(other).map((problem) => invalidValue(`${at}.namespace`, other, problem)));
    }
  }
  if (dataSource === undefined || dataSourceRef === undefined) return errors;
  const { namespace = '', ...local } = dataSourceRef;
  if (namespace !== '') {
    errors.push(invalidValue(field, {}, 'may not be specified when dataSourceRef.namespace is specified'));
  } else if (!deepEqual(local, dataSource)) {
    errors.push(invalidValue(field, {}, 'must match dataSourceRef'));
  }
  return errors;
}

const SPEC = 'core.v1.PersistentVolumeClaimSpec';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** A claim's spec does not change, but a bound claim may grow. */
export function checkClaimUpdate(claim: Claim, old: Claim): FieldError[] {
  const errors: FieldError[] = [];
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
    errors.push(forbiddenField('spec', `${what}\n${unifiedDiff(internalForm(was, SPEC), internalForm(now, SPEC))}`));
  }
  const size = claim.spec.resources?.requests?.['storage'] ?? '0';
  const oldSize = old.spec.resources?.requests?.['storage'] ?? '0';
  if (amount(size).compare(amount(oldSize)) < 0) {
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
  const asks = spec.resources?.requests !== undefined || sentEmpty(spec.resources, 'requests') !== null;
  if (asks && storage !== undefined) {
    result.resources = { ...spec.resources, requests: { ...spec.resources?.requests, storage } };
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

const RESIZE_STATES = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
].sort();

export function checkClaimStatus({ status }: Claim): FieldError[] {
  const states = 'status.allocatedResourceStatuses';
  const allocated = 'status.allocatedResources';
  return [
    ...Object.entries(status.capacity ?? {}).flatMap(([name, text]) => checkAmount(text, `status.capacity[${name}]`)),
    ...Object.entries(status.allocatedResourceStatuses ?? {}).flatMap(([name, state]) => [
      ...checkClaimResource(name, states),
      ...(RESIZE_STATES.includes(state) ? [] : [notSupported(states, asJson(name ?? ''), RESIZE_STATES)]),
    ]),
    ...Object.entries(status.allocatedResources ?? {}).flatMap(([name, text]) => {
      const problems = checkClaimResource(name, allocated);
      if (problems.length > 0) return problems;
      const amounts = checkAmount(text, `${allocated}[${name}]`);
      return amounts.length > 0 ? amounts : checkResourceAmount('storage', text, `${allocated}[${name}]`);
    }),
  ];
}

function checkAmount(text: string, field: string): FieldError[] {
  return amount(text).sign < 0 ? [invalidValue(field, amount(text).value(), 'must be a valid resource quantity')] : [];
}

/** Only storage is allocated, and what others name with their own domain. */
function checkClaimResource(name: string, field: string): FieldError[] {
  const problems = qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem));
  if (problems.length > 0) return problems;
  const isOwn = name.includes('/') && !/^([^/]*\.)?kubernetes\.io\//.test(name);
  return isOwn || name === 'storage' ? [] : [notSupported(field, name, ['storage'])];
}

const ALONE = 'ReadWriteOncePod';
const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', ALONE];

/** ReadWriteOncePod excludes other access modes. Problems are reported at the list. */
export function checkAccessModes(modes: readonly string[], field: string): FieldError[] {
  const unknown = modes.filter((mode) => !ACCESS_MODES.includes(mode));
  const isMixed = modes.includes(ALONE) && modes.some((mode) => mode !== ALONE && ACCESS_MODES.includes(mode));
  return [
    ...unknown.map((mode) => notSupported(field, asJson(mode ?? ''), ACCESS_MODES)),
    ...(isMixed ? [forbiddenField(field, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

const VOLUME_MODES = ['Block', 'Filesystem'];

export function checkVolumeMode(mode: string | undefined, field: string): FieldError[] {
  return mode === undefined || VOLUME_MODES.includes(mode)
    ? []
    : [notSupported(field, asJson(mode ?? ''), VOLUME_MODES)];
}
