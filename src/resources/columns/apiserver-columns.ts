import type { APIService } from '../../api/types/apiregistration/v1.d.ts';
import type { StorageVersion } from '../../api/types/apiserverinternal/v1alpha1.d.ts';
import type { StorageVersionMigration } from '../../api/types/storagemigration/v1beta1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, firstThree, nameColumn, UNSET } from './column.ts';

export const apiServiceColumns: readonly Column[] = [
  nameColumn,
  column<APIService>('Service', 'Service that serves the API, if another does', ({ spec }) => serviceOf(spec?.service)),
  column<APIService>('Available', 'Whether the API can be used, or why not', availability),
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
  column<StorageVersion>(
    'CommonEncodingVersion',
    'Version in which all servers store',
    ({ status }) => status?.commonEncodingVersion ?? UNSET,
  ),
  column<StorageVersion>('StorageVersions', 'Version in which each server stores', storageVersions),
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
  column<StorageVersionMigration>('Resource', 'Resource whose objects are stored anew', migratedResource),
  column<StorageVersionMigration>('Status', 'How far it has come', migrationStatus),
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
