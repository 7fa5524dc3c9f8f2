import type { StorageVersionMigration } from '../../api/types/storagemigration/v1beta1.d.ts';
import { storageVersionMigrationColumns } from '../columns/apiserver-columns.ts';
import { defineKind } from '../kind.ts';

export const storageVersionMigrations = defineKind<StorageVersionMigration>({
  group: 'storagemigration.k8s.io',
  plural: 'storageversionmigrations',
  featureGate: 'StorageVersionMigrator',
  columns: storageVersionMigrationColumns,
  storedVersion: 'v1beta1',
  requiresResourceVersion: true,
  statusMetadata: 'owned',
});
