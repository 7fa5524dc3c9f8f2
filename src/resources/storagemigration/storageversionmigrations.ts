import type { StorageVersionMigration } from '../../api/types/storagemigration/v1beta1.d.ts';
import { column, each, nameColumn } from '../columns/column.ts';
import { defineKind } from '../kind.ts';

export const storageVersionMigrations = defineKind<StorageVersionMigration>({
  group: 'storagemigration.k8s.io',
  plural: 'storageversionmigrations',
  featureGate: 'StorageVersionMigrator',
  columns: [
    { ...nameColumn, format: '' },
    column('Resource', 'Resource whose objects are stored anew', migratedResource),
    column('Status', 'How far it has come', migrationStatus),
  ],
  storedVersion: 'v1beta1',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
});

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
