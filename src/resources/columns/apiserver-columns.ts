import type { APIService } from '../../api/types/apiregistration/v1.d.ts';
import type { StorageVersion } from '../../api/types/apiserverinternal/v1alpha1.d.ts';
import type { StorageVersionMigration } from '../../api/types/storagemigration/v1beta1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, firstThree, nameColumn, UNSET } from './column.ts';

export const apiServiceColumns: readonly Column[] = [
  nameColumn,
  column<APIService>('Service', ({ spec }) => serviceOf(spec?.service), {
    description: 'Service that serves the API, if another does',
  }),
  column<APIService>('Available', availability, { description: 'Whether the API can be used, or why not' }),
  ageColumn,
];

function serviceOf(service: NonNullable<APIService['spec']>['service']): string {
  return service === undefined ? 'Local' : `${service.namespace ?? ''}/${service.name ?? ''}`;
}

function availability({ status }: APIService): string {
  const condition = each(status?.conditions).find(({ type }) => type === 'Available');
  if (condition === undefined) return 'Unknown';
  const { status: state, reason = '' } = condition;
  return state === 'True' || reason === '' ? state : `${state} (${reason})`;
}

export const storageVersionColumns: readonly Column[] = [
  nameColumn,
  column<StorageVersion>('CommonEncodingVersion', ({ status }) => status?.commonEncodingVersion ?? UNSET, {
    description: 'Version in which all servers store',
  }),
  column<StorageVersion>('StorageVersions', storageVersions, { description: 'Version in which each server stores' }),
  ageColumn,
];

function storageVersions({ status }: StorageVersion): string {
  return firstThree(
    each(status?.storageVersions).map(({ apiServerID, encodingVersion }) => `${apiServerID}=${encodingVersion}`),
    UNSET,
  );
}

export const storageVersionMigrationColumns: readonly Column[] = [
  { ...nameColumn, format: '' },
  column<StorageVersionMigration>('Resource', migratedResource, {
    description: 'Resource whose objects are stored anew',
  }),
  column<StorageVersionMigration>('Status', migrationStatus, { description: 'How far it has come' }),
];

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
