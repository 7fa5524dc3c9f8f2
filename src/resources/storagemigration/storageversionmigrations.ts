import {
  compareResourceVersions,
  dns1035LabelProblems,
  dns1123SubdomainProblems,
  type FieldError,
  invalidValue,
  required,
} from '../../api/index.ts';
import type { StorageVersionMigration } from '../../api/types/storagemigration/v1beta1.d.ts';
import { column, each, nameColumn } from '../columns/column.ts';
import { checkConditions } from '../condition-rules.ts';
import { defineKind, type Whole } from '../kind.ts';

type Migration = Whole<StorageVersionMigration>;

export const storageVersionMigrations = defineKind<StorageVersionMigration>({
  changeSteps: ['metadata', 'object', 'metadataChange', 'change'],
  group: 'storagemigration.k8s.io',
  plural: 'storageversionmigrations',
  featureGate: 'StorageVersionMigrator',
  columns: [
    { ...nameColumn, format: '' },
    column('Resource', 'Resource whose objects are stored again', migratedResource),
    column('Status', 'How far it has come', migrationStatus),
  ],
  storedVersion: 'v1beta1',
  earlierStoredVersions: ['v1alpha1@..1.34'],
  requiresResourceVersion: true,
  statusMetadata: 'owned',
  validate: checkResource,
  validateStatus: checkProgress,
});

function checkResource({ spec }: Migration): FieldError[] {
  const { group = '', resource = '' } = spec.resource ?? {};
  const errors: FieldError[] = [];
  if (resource === '') errors.push(required('spec.resource.resource', 'resource is required to be set'));
  const problems = resource === '' ? [] : dns1035LabelProblems(resource);
  if (problems.length > 0) errors.push(invalidValue('spec.resource.resource', resource, problems.join(',')));
  const groupProblems = group === '' ? [] : dns1123SubdomainProblems(group);
  if (groupProblems.length > 0) errors.push(invalidValue('spec.resource.group', group, groupProblems.join(',')));
  return errors;
}

/** A migration only moves forward: the revision is set once, and success or failure is final. */
function checkProgress(object: Migration, old: Migration): FieldError[] {
  const { resourceVersion = '', conditions } = object.status;
  const errors: FieldError[] = [];
  const compared = resourceVersion === '' ? 0 : compareResourceVersions(resourceVersion, resourceVersion);
  if (compared instanceof Error) errors.push(invalidValue('status.resourceVersion', resourceVersion, compared.message));
  errors.push(...checkConditions(each(conditions), 'status.conditions'));
  const { resourceVersion: before = '' } = old.status;
  if (before !== '' && before !== resourceVersion) {
    errors.push(invalidValue('status.resourceVersion', resourceVersion, 'field is immutable'));
  }
  const refuse = (detail: string): void =>
    void errors.push(invalidValue('status.conditions', conditions ?? [], detail));
  if (isTrue(object, 'Succeeded') && isTrue(object, 'Failed')) {
    refuse('Both success and failed conditions cannot be true at the same time');
  }
  if (isTrue(old, 'Succeeded') && !isTrue(object, 'Succeeded')) {
    refuse('Success condition cannot be set to false once it is true');
  }
  if (isTrue(old, 'Failed') && !isTrue(object, 'Failed')) {
    refuse('Failed condition cannot be set to false once it is true');
  }
  return errors;
}

function isTrue({ status }: Migration, type: string): boolean {
  return each(status.conditions).some((condition) => condition.type === type && condition.status === 'True');
}

function migratedResource({ spec }: StorageVersionMigration): string {
  const { group = '', resource = '' } = spec?.resource ?? {};
  return group === '' ? resource : `${resource}.${group}`;
}

const MIGRATION_STATES = new Set(['Running', 'Failed', 'Succeeded']);

function migrationStatus({ status }: StorageVersionMigration): string {
  const state = each(status?.conditions).findLast(
    (condition) => condition.status === 'True' && MIGRATION_STATES.has(condition.type),
  );
  return state?.type ?? 'Unknown';
}
