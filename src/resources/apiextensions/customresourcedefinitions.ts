import { type FieldError, formatTime, instantOfMillis, invalidValue, required, withMeta } from '../../api/index.ts';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionNames,
  CustomResourceDefinitionSpec,
  CustomResourceDefinitionStatus,
} from '../../api/types/apiextensions/v1.d.ts';
import { changes } from '../change.ts';
import { defineKind, type Whole } from '../kind.ts';
import { nested, unversioned } from '../unversioned.ts';

/** Holds a definition until all its objects are gone. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

type Definition = Whole<CustomResourceDefinition>;

export const customResourceDefinitions = defineKind<CustomResourceDefinition>({
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  announcedVersion: 'v1beta1',
  folder: 'apiextensions.k8s.io/customresourcedefinitions',
  requiresResourceVersion: true,
  raisesGeneration: changes('spec'),
  judges: ['spec.versions'],

  applyDefaults({ spec, status }) {
    const { names } = spec;
    names.singular ||= (names.kind ?? '').toLowerCase();
    if (names.singular === '') delete names.singular;
    if ((names.kind ?? '') !== '') names.listKind ||= `${names.kind}List`;
    const stored = (spec.versions ?? []).find(({ storage }) => storage);
    if ((status.storedVersions ?? []).length === 0 && stored !== undefined) status.storedVersions = [stored.name];
  },

  prepareForCreate: noteStoredVersion,
  prepareForUpdate: noteStoredVersion,
  validate: checkDefinition,
  validateUpdate: checkDefinitionUpdate,

  /** The first request only starts the end: whoever deletes the objects takes the finalizer away then. */
  beforeDelete(definition, { now }) {
    const { metadata, status } = definition;
    if (metadata.deletionTimestamp !== undefined) return 'delete';
    const { finalizers = [] } = metadata;
    return {
      ...definition,
      metadata: withMeta(metadata, {
        deletionTimestamp: formatTime(instantOfMillis(now)),
        finalizers: finalizers.includes(CLEANUP_FINALIZER) ? finalizers : [...finalizers, CLEANUP_FINALIZER],
      }),
      status: withTerminating(status, formatTime(instantOfMillis(now))),
    };
  },
});

/** Versions in which objects may have been stored are remembered. */
function noteStoredVersion(definition: Definition): void {
  const stored = (definition.spec.versions ?? []).find(({ storage }) => storage)?.name;
  const { storedVersions } = definition.status;
  if (stored === undefined || (storedVersions ?? []).includes(stored)) return;
  definition.status = { ...definition.status, storedVersions: [...(storedVersions ?? []), stored] };
}

function withTerminating(status: CustomResourceDefinitionStatus, at: string): CustomResourceDefinitionStatus {
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === 'Terminating');
  const known = conditions[index];
  const condition: CustomResourceDefinitionCondition = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime:
      known?.status === 'True' && known.lastTransitionTime !== undefined ? known.lastTransitionTime : at,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  return { ...status, conditions: index < 0 ? [...conditions, condition] : conditions.with(index, condition) };
}

/** Names, versions and what is stored; whether the schemas are sound is judged where they are compiled. */
function checkDefinition(definition: Definition): FieldError[] {
  const { metadata, spec } = definition;
  const errors: FieldError[] = [];
  if (metadata.name !== `${spec.names.plural}.${spec.group}`) {
    errors.push(invalidValue('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group'));
  }
  return [...errors, ...checkSpec(spec), ...checkStoredVersions(definition), ...checkApproval(definition, undefined)];
}

function checkSpec(spec: CustomResourceDefinitionSpec): FieldError[] {
  const { group, names, preserveUnknownFields } = spec;
  const versions = spec.versions ?? [];
  const errors: FieldError[] = [];
  if (group !== '' && !group.includes('.')) {
    errors.push(invalidValue('spec.group', group, 'should be a domain with at least one dot'));
  }
  for (const [index, version] of versions.entries()) {
    if (version.schema?.openAPIV3Schema !== undefined) continue;
    errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  }
  for (const [index, { deprecated, deprecationWarning }] of versions.entries()) {
    if (deprecated === true || deprecationWarning === undefined) continue;
    const field = `spec.versions[${index}].deprecationWarning`;
    errors.push(invalidValue(field, deprecationWarning, 'can only be set for deprecated versions'));
  }
  if (new Set(versions.map(({ name }) => name)).size < versions.length) {
    errors.push(invalidValue('spec.versions', printed(spec), 'must contain unique version names'));
  }
  if (versions.filter(({ storage }) => storage).length !== 1) {
    const detail = 'must have exactly one version marked as storage version';
    errors.push(invalidValue('spec.versions', printed(spec), detail));
  }
  if (preserveUnknownFields === true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalidValue('spec.preserveUnknownFields', true, detail));
  }
  return [...errors, ...checkNames(names)];
}

const VERSION = {
  Name: '',
  Served: false,
  Storage: false,
  Deprecated: false,
  DeprecationWarning: null,
  Schema: nested({}),
  Subresources: nested({}),
  AdditionalPrinterColumns: null,
  SelectableFields: null,
};

function printed({ versions }: CustomResourceDefinitionSpec): unknown {
  return versions?.map((version) => unversioned(version, VERSION)) ?? null;
}

function checkNames({ singular = '', kind, listKind = '' }: CustomResourceDefinitionNames): FieldError[] {
  const errors: FieldError[] = [];
  if (singular === '') errors.push(required('spec.names.singular'));
  if (listKind === '') errors.push(required('spec.names.listKind'));
  if (kind !== '' && kind === listKind) {
    errors.push(invalidValue('spec.names.listKind', listKind, 'kind and listKind may not be the same'));
  }
  return errors;
}

function checkStoredVersions({ spec, status }: Definition): FieldError[] {
  const field = 'status.storedVersions';
  const stored = status.storedVersions ?? [];
  if (stored.length === 0)
    return [invalidValue(field, status.storedVersions ?? null, 'must have at least one stored version')];
  const versions = spec.versions ?? [];
  const names = versions.map(({ name }) => name);
  const storage = versions.find((version) => version.storage)?.name;
  const errors: FieldError[] = [];
  if (storage !== undefined && !stored.includes(storage)) {
    errors.push(invalidValue(field, stored, `must have the storage version ${storage}`));
  }
  for (const [index, name] of stored.entries()) {
    if (names.includes(name)) continue;
    const detail =
      `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a ` +
      `storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalidValue(`${field}[${index}]`, name, detail));
  }
  return errors;
}

const APPROVED = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes project are for APIs that it approved. */
function checkApproval({ metadata, spec }: Definition, old: Definition | undefined): FieldError[] {
  const { group } = spec;
  const isProtected = group === 'k8s.io' || group === 'kubernetes.io' || /\.(k8s|kubernetes)\.io$/.test(group);
  if (!isProtected) return [];
  const state = approvalOf(metadata.annotations?.[APPROVED]);
  if (old !== undefined && approvalOf(old.metadata.annotations?.[APPROVED]).type === state.type) return [];
  const field = `metadata.annotations[${APPROVED}]`;
  if (state.type === 'missing') return [required(field, state.reason)];
  if (state.type === 'invalid') return [invalidValue(field, metadata.annotations?.[APPROVED], state.reason)];
  return [];
}

const POLICY = 'see https://github.com/kubernetes/enhancements/pull/1111';

function approvalOf(text: string | undefined): {
  readonly type: 'missing' | 'invalid' | 'given';
  readonly reason: string;
} {
  if (text === undefined || text === '') {
    const reason = `protected groups must have approval annotation ${JSON.stringify(APPROVED)}, ${POLICY}`;
    return { type: 'missing', reason };
  }
  if (text.startsWith('unapproved') || /^[a-z][a-z0-9+.-]*:\/\/[^/]+/i.test(text)) return { type: 'given', reason: '' };
  const what = 'must have approval annotation';
  const reason = `protected groups ${what} ${JSON.stringify(APPROVED)} with either a URL or a reason starting with "unapproved", ${POLICY}`;
  return { type: 'invalid', reason };
}

const IMMUTABLE = 'field is immutable';

function checkDefinitionUpdate(definition: Definition, old: Definition): FieldError[] {
  const { spec } = definition;
  const was = old.spec;
  const errors = checkSpec(spec);
  const isEstablished = (old.status.conditions ?? []).some(
    ({ type, status }) => type === 'Established' && status === 'True',
  );
  if (isEstablished) {
    if (spec.scope !== was.scope) errors.push(invalidValue('spec.scope', spec.scope, IMMUTABLE));
    if (spec.names.kind !== was.names.kind) errors.push(invalidValue('spec.names.kind', spec.names.kind, IMMUTABLE));
  }
  if (spec.group !== was.group) errors.push(invalidValue('spec.group', spec.group, IMMUTABLE));
  if (spec.names.plural !== was.names.plural) {
    errors.push(invalidValue('spec.names.plural', spec.names.plural, IMMUTABLE));
  }
  return [...errors, ...checkStoredVersions(definition), ...checkApproval(definition, old)];
}
