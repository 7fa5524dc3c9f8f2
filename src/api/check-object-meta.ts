import { type FieldError, forbiddenField, invalidValue, required, tooLong } from './field-error.ts';
import type { ObjectMeta } from './object.ts';
import {
  annotationKeyProblems,
  dns1123LabelProblems,
  labelValueProblems,
  pathSegmentNameProblems,
  pathSegmentPrefixProblems,
  qualifiedNameProblems,
} from './values/index.ts';

const ANNOTATIONS_MAX_BYTES = 256 * 1024;
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

export interface ObjectMetaCheck {
  readonly namespaced: boolean;
  /** Rules for names beyond being a path segment; with `prefix`, for generateName. */
  readonly checkName?: ((name: string, options: { readonly prefix: boolean }) => readonly string[]) | undefined;
  /** The path of the metadata. */
  readonly path?: string;
}

/** The rules for `metadata` that apply to every kind. */
export function checkObjectMeta(metadata: ObjectMeta, options: ObjectMetaCheck): FieldError[] {
  const { path = 'metadata' } = options;
  const { generation = 0, labels, annotations, ownerReferences, finalizers, managedFields } = metadata;
  return checkNames(metadata, path, options.checkName).concat(
    checkNamespace(metadata, path, options.namespaced),
    generation < 0 ? invalidValue(`${path}.generation`, generation, 'must be greater than or equal to 0') : NONE,
    labels === undefined ? NONE : checkLabels(labels, `${path}.labels`),
    annotations === undefined ? NONE : checkAnnotations(annotations, `${path}.annotations`),
    ownerReferences === undefined ? NONE : checkOwnerReferences(ownerReferences, `${path}.ownerReferences`),
    finalizers === undefined ? NONE : checkFinalizers(finalizers, `${path}.finalizers`),
    managedFields === undefined ? NONE : checkManagedFields(managedFields, `${path}.managedFields`),
  );
}

const NONE: readonly FieldError[] = [];

/** The rules for `metadata` that kinds check again on updates. */
export function checkChangedObjectMeta(metadata: ObjectMeta): FieldError[] {
  return [
    ...checkLabels(metadata.labels),
    ...checkAnnotations(metadata.annotations),
    ...checkOwnerReferences(metadata.ownerReferences ?? [], 'metadata.ownerReferences'),
    ...checkManagedFields(metadata.managedFields ?? [], 'metadata.managedFields'),
  ];
}

function checkNames(metadata: ObjectMeta, path: string, checkName: ObjectMetaCheck['checkName']): FieldError[] {
  const { name = '', generateName = '' } = metadata;
  const problems = (value: string, prefix: boolean): readonly string[] =>
    checkName?.(value, { prefix }) ?? (prefix ? pathSegmentPrefixProblems(value) : pathSegmentNameProblems(value));
  const errors: FieldError[] = [];
  if (generateName !== '') {
    for (const problem of problems(generateName, true)) {
      errors.push(invalidValue(`${path}.generateName`, generateName, problem));
    }
  }
  if (name === '') return [...errors, required(`${path}.name`, 'name or generateName is required')];
  for (const problem of problems(name, false)) errors.push(invalidValue(`${path}.name`, name, problem));
  return errors;
}

function checkNamespace({ namespace = '' }: ObjectMeta, path: string, namespaced: boolean): FieldError[] {
  const field = `${path}.namespace`;
  if (!namespaced) return namespace === '' ? [] : [forbiddenField(field, 'not allowed on this type')];
  if (namespace === '') return [required(field)];
  return dns1123LabelProblems(namespace).map((problem) => invalidValue(field, namespace, problem));
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

function checkFinalizers(finalizers: readonly string[], field: string): FieldError[] {
  const errors = finalizers.flatMap((name) =>
    qualifiedNameProblems(name).map((problem) => invalidValue(field, name, problem)),
  );
  if (finalizers.includes(ORPHAN) && finalizers.includes(FOREGROUND)) {
    errors.push(invalidValue(field, finalizers, `finalizer ${ORPHAN} and ${FOREGROUND} cannot be both set`));
  }
  return errors;
}

const SUBRESOURCE_MAX_LENGTH = 256;

function checkManagedFields(entries: NonNullable<ObjectMeta['managedFields']>, path: string): FieldError[] {
  return entries.flatMap((entry, index) => {
    const field = `${path}[${index}]`;
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

/** The rules for changes of `metadata`. */
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

/** Owner references must identify the owner, and only one may be the controller. */
function checkOwnerReferences(references: readonly OwnerReference[], field: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller = '';
  for (const reference of references) {
    errors.push(...checkOne(reference, field));
    if (reference.controller !== true) continue;
    const name = `${reference.kind}/${reference.name}`;
    if (controller === '') {
      controller = name;
      continue;
    }
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
    errors.push(invalidValue(field, references, detail));
  }
  return errors;
}

function checkOne(reference: OwnerReference, field: string): FieldError[] {
  const { apiVersion = '', kind = '', name = '', uid = '' } = reference;
  const errors: FieldError[] = [];
  const parts = apiVersion.split('/');
  const version = parts.length > 2 ? '' : parts.at(-1);
  if (version === '') errors.push(invalidValue(`${field}.apiVersion`, apiVersion, 'version must not be empty'));
  for (const [member, value] of Object.entries({ kind, name, uid })) {
    if (value === '') errors.push(invalidValue(`${field}.${member}`, value, 'must not be empty'));
  }
  if (apiVersion === 'v1' && kind === 'Event') {
    errors.push(invalidValue(field, reference, '/v1, Kind=Event is disallowed from being an owner'));
  }
  return errors;
}
