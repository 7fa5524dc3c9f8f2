import type { CSIDriver } from '../../api/types/storage/v1.d.ts';
import { csiDriverColumns } from '../columns/storage-columns.ts';
import { changes } from '../change.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkDriver } from './csi-rules.ts';

export const csiDrivers = defineKind<CSIDriver>({
  group: 'storage.k8s.io',
  plural: 'csidrivers',
  columns: csiDriverColumns,
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  generationStarts: 'onUpdate',
  raisesGeneration: changes('spec'),
  judges: ['spec.tokenRequests.expirationSeconds'],

  prepareForCreate(driver) {
    dropGatedFields(driver, undefined);
  },

  prepareForUpdate(driver, old) {
    dropGatedFields(driver, old);
  },

  validate: checkDriver,
});

/** Whether scheduling waits for a driver is a feature that is off by default. */
function dropGatedFields(driver: Whole<CSIDriver>, old: Whole<CSIDriver> | undefined): void {
  if (driver.spec.preventPodSchedulingIfMissing === undefined) return;
  if (old?.spec.preventPodSchedulingIfMissing !== undefined) return;
  const { preventPodSchedulingIfMissing: _, ...spec } = driver.spec;
  driver.spec = spec;
}
