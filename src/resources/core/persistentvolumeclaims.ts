import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../api/types/core/v1.d.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import {
  attributesClassColumn,
  shortModes,
  statusColumn,
  storageClassColumn,
  volumeModeColumn,
} from '../columns/volume-columns.ts';
import { defineKind, type Whole } from '../kind.ts';
import { checkChangedClaim, checkClaim, checkClaimStatus, checkClaimUpdate } from './persistentvolumeclaim-rules.ts';
import { roundToMilli } from './resource-list.ts';
import { claimWarnings } from './volume-warnings.ts';

export const persistentVolumeClaims = defineKind<PersistentVolumeClaim>({
  changeSteps: ['metadataChange', 'metadata', 'object', 'change'],
  group: '',
  plural: 'persistentvolumeclaims',
  /** Shows the bound volume's properties; empty before. */
  columns: [
    nameColumn,
    statusColumn,
    column('Volume', 'Volume that it is bound to', volumeOf),
    column('Capacity', 'Size of the volume', (claim) =>
      volumeOf(claim) === '' ? '' : (claim.status?.capacity?.['storage'] ?? '0'),
    ),
    column('Access Modes', 'How the volume can be mounted', (claim) =>
      volumeOf(claim) === '' ? '' : shortModes(claim.status?.accessModes),
    ),
    storageClassColumn,
    attributesClassColumn,
    ageColumn,
    volumeModeColumn,
  ],
  returnsDeletedObject: true,

  applyDefaults({ spec, status }) {
    for (const list of [spec.resources?.limits, spec.resources?.requests]) roundToMilli(list);
    for (const list of [status.capacity, status.allocatedResources]) roundToMilli(list);
  },

  prepareForCreate(claim) {
    claim.spec = withDataSources(claim.spec, undefined);
  },

  prepareForUpdate(claim, old) {
    claim.spec = withDataSources(claim.spec, old.spec);
  },

  validate: checkClaim,
  validateUpdate: checkChangedClaim,
  validateChange: checkClaimUpdate,
  validateStatus: checkClaimStatus,
  warnings: warningsOf,
});

/**
 * The source of a new volume's contents has two fields: the older only allows claims and snapshots, the newer anything;
 * each is filled from the other (KEP-1495).
 */
function withDataSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
): PersistentVolumeClaimSpec {
  let { dataSource, dataSourceRef } = spec;
  if ((dataSourceRef?.namespace ?? '') !== '' && old?.dataSourceRef === undefined) dataSourceRef = undefined;
  const hadSource = old?.dataSource !== undefined || old?.dataSourceRef !== undefined;
  if (!hadSource && dataSourceRef === undefined && !isClaimOrSnapshot(dataSource)) dataSource = undefined;
  if (dataSource !== undefined && dataSourceRef === undefined) {
    dataSourceRef = { ...dataSource };
  } else if (dataSourceRef !== undefined && dataSource === undefined && (dataSourceRef.namespace ?? '') === '') {
    const { namespace: _, ...local } = dataSourceRef;
    dataSource = local;
  }
  return { ...spec, dataSource, dataSourceRef };
}

function isClaimOrSnapshot(source: PersistentVolumeClaimSpec['dataSource']): boolean {
  const group = source?.apiGroup ?? ''; // an absent group reads as null
  if (source?.kind === 'PersistentVolumeClaim') return group === '';
  return source?.kind === 'VolumeSnapshot' && group === 'snapshot.storage.k8s.io';
}

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

function warningsOf({ metadata, spec }: Whole<PersistentVolumeClaim>): string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.[CLASS_ANNOTATION] !== undefined) {
    warnings.push(
      `metadata.annotations[${CLASS_ANNOTATION}]: deprecated since v1.8; use "storageClassName" attribute instead`,
    );
  }
  return [...warnings, ...claimWarnings(spec, 'spec')];
}

function volumeOf({ spec }: PersistentVolumeClaim): string {
  return spec?.volumeName ?? '';
}
