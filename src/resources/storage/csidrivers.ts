import type { CSIDriver } from '../../api/types/storage/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { changes } from '../change.ts';
import { ageColumn, boolean, column, each, nameColumn, NONE, orElse, UNSET } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkDriver } from './csi-rules.ts';

export const csiDrivers = defineKind<CSIDriver>({
  group: 'storage.k8s.io',
  plural: 'csidrivers',
  columns: [
    nameColumn,
    driverFlag(
      'AttachRequired',
      ({ attachRequired = true }) => attachRequired,
      'Whether volumes must be attached before they are mounted',
    ),
    driverFlag(
      'PodInfoOnMount',
      ({ podInfoOnMount = false }) => podInfoOnMount,
      'Whether the driver is told about the pod',
    ),
    driverFlag(
      'StorageCapacity',
      ({ storageCapacity = false }) => storageCapacity,
      'Whether the driver publishes its capacity',
    ),
    column('TokenRequests', 'Audiences of the tokens that the driver gets', tokenRequests),
    driverFlag(
      'RequiresRepublish',
      ({ requiresRepublish = false }) => requiresRepublish,
      'Whether volumes are published again and again',
    ),
    column('Modes', 'Kinds of volumes it supports', ({ spec }) =>
      orElse(each(spec?.volumeLifecycleModes).join(','), NONE),
    ),
    ageColumn,
  ],
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

function driverFlag(
  name: string,
  flag: (spec: Partial<CSIDriver['spec']>) => boolean,
  description: string,
): Column<CSIDriver> {
  return boolean(name, description, ({ spec }) => flag(spec ?? {}));
}

function tokenRequests({ spec }: CSIDriver): string {
  if (spec?.tokenRequests === undefined) return UNSET;
  return spec.tokenRequests.map(({ audience }) => audience).join(',');
}
