import {
  annotationKeyProblems,
  dns1123LabelProblems,
  forbiddenField,
  invalidValue,
  labelValueProblems,
  pathSegmentNameProblems,
  pathSegmentPrefixProblems,
  qualifiedNameProblems,
  required,
  tooLong,
} from '../../api/index.ts';
import type { FieldError, ObjectMeta } from '../../api/index.ts';
import type { Strategy } from '../resource.ts';

const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** The rules for `metadata` that hold for every kind. */
export function checkObjectMeta(
  metadata: ObjectMeta,
  options: { readonly namespaced: boolean; readonly strategy: Strategy },
): FieldError[] {
  return [
    ...checkNames(metadata, options.strategy),
    ...checkNamespace(metadata, options.namespaced),
    ...((metadata.generation ?? 0) < 0
      ? [invalidValue('metadata.generation', metadata.generation, 'must be greater than or equal to 0')]
      : []),
    ...checkLabels(metadata.labels),
    ...checkAnnotations(metadata.annotations),
    ...checkOwnerReferences(metadata.ownerReferences ?? []),
    ...checkFinalizers(metadata.finalizers ?? []),
    ...checkManagedFields(metadata.managedFields ?? []),
  ];
}

function checkNames(metadata: ObjectMeta, { checkName }: Strategy): FieldError[] {
  const { name = '', generateName = '' } = metadata;
  const problems = (value: string, prefix: boolean): readonly string[] =>
    checkName?.(value, { prefix }) ?? (prefix ? pathSegmentPrefixProblems(value) : pathSegmentNameProblems(value));
  const errors: FieldError[] = [];
  if (generateName !== '') {
    for (const problem of problems(generateName, true)) {
      errors.push(invalidValue('metadata.generateName', generateName, problem));
    }
  }
  if (name === '') return [...errors, required('metadata.name', 'name or generateName is required')];
  for (const problem of problems(name, false)) errors.push(invalidValue('metadata.name', name, problem));
  return errors;
}

function checkNamespace({ namespace = '' }: ObjectMeta, namespaced: boolean): FieldError[] {
  if (!namespaced) return namespace === '' ? [] : [forbiddenField('metadata.namespace', 'not allowed on this type')];
  if (namespace === '') return [required('metadata.namespace')];
  return dns1123LabelProblems(namespace).map((problem) => invalidValue('metadata.namespace', namespace, problem));
}

/** Also used by kinds that carry labels elsewhere, such as pod templates. */
export function checkLabels(
  labels: Readonly<Record<string, string>> | undefined,
  field = 'metadata.labels',
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries(labels ?? {})) {
    for (const problem of qualifiedNameProblems(name)) errors.push(invalidValue(field, name, problem));
    for (const problem of labelValueProblems(value)) errors.push(invalidValue(field, value, problem));
  }
  return errors;
}

export function checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field = 'metadata.annotations',
): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [name, value] of Object.entries(annotations ?? {})) {
    for (const problem of annotationKeyProblems(name)) errors.push(invalidValue(field, name, problem));
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value);
  }
  if (bytes > ANNOTATIONS_MAX_BYTES) errors.push(tooLong(field, ANNOTATIONS_MAX_BYTES));
  return errors;
}

function checkFinalizers(finalizers: readonly string[]): FieldError[] {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((name) =>
    qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem)),
  );
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(invalidValue(field, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`));
  }
  return errors;
}

const SUBRESOURCE_MAX_LENGTH = 256;

function checkManagedFields(entries: NonNullable<ObjectMeta['managedFields']>): FieldError[] {
  return entries.flatMap((entry, index) => {
    const field = `metadata.managedFields[${index}]`;
    const errors: FieldError[] = [];
    if (entry.operation !== 'Apply' && entry.operation !== 'Update') {
      errors.push(invalidValue(`${field}.operation`, entry.operation ?? '', 'must be `Apply` or `Update`'));
    }
    if ((entry.fieldsType ?? '') !== '' && entry.fieldsType !== 'FieldsV1') {
      errors.push(invalidValue(`${field}.fieldsType`, entry.fieldsType, 'must be `FieldsV1`'));
    }
    if ((entry.subresource ?? '').length > SUBRESOURCE_MAX_LENGTH) {
      errors.push(tooLong(`${field}.subresource`, SUBRESOURCE_MAX_LENGTH));
    }
    return errors;
  });
}

const IMMUTABLE = 'field is immutable';

/** What no update may do to `metadata`. */
export function checkObjectMetaUpdate(metadata: ObjectMeta, old: ObjectMeta): FieldError[] {
  const errors: FieldError[] = [];
  if (old.deletionTimestamp !== undefined) {
    const known = new Set(old.finalizers);
    const extra = (metadata.finalizers ?? []).filter((name) => !known.has(name)).sort();
    if (extra.length > 0) {
      const names = `[]string{${extra.map((name) => JSON.stringify(name)).join(', ')}}`;
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers ${names}`;
      errors.push(forbiddenField('metadata.finalizers', detail));
    }
  }
  if ((metadata.generation ?? 0) < (old.generation ?? 0)) {
    errors.push(invalidValue('metadata.generation', metadata.generation, 'must not be decremented'));
  }
  for (const field of [
    'name',
    'namespace',
    'uid',
    'creationTimestamp',
    'deletionTimestamp',
    'deletionGracePeriodSeconds',
  ] as const) {
    if (metadata[field] !== old[field])
      errors.push(invalidValue(`metadata.${field}`, metadata[field] ?? null, IMMUTABLE));
  }
  return errors;
}

type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number];

const FIELD = 'metadata.ownerReferences';

/** Owner references must say who the owner is, and only one may claim to be the controller. */
function checkOwnerReferences(references: readonly OwnerReference[]): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references) {
    errors.push(...checkOne(reference));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = name;
      continue;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    errors.push(invalidValue(FIELD, references, detail));
  }
  return errors;
}

function checkOne(reference: OwnerReference): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const errors: FieldError[] = [];
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  if (version === '') errors.push(invalidValue(`${FIELD}.apiVersion`, apiVersion, 'version must not be empty'));
  for (const [member, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(invalidValue(`${FIELD}.${member}`, value, 'must not be empty'));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalidValue(FIELD, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}
