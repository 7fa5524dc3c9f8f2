import { formatTime, instantOfMillis } from '../../api/index.ts';
import type { PersistentVolume } from '../../api/types/core/v1.d.ts';
import { persistentVolumeColumns } from '../columns/volume-columns.ts';
import { defineKind } from '../kind.ts';
import { checkPersistentVolume, checkPersistentVolumeUpdate } from './persistentvolume-rules.ts';
import { persistentVolumeWarnings } from './persistentvolume-warnings.ts';
import { roundToMilli } from './resource-list.ts';

export const persistentVolumes = defineKind<PersistentVolume>({
  group: '',
  plural: 'persistentvolumes',
  columns: persistentVolumeColumns,
  returnsDeletedObject: true,

  applyDefaults({ spec }) {
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    roundToMilli(spec.capacity);
  },

  prepareForCreate(volume, { now }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(instantOfMillis(now)) };
  },

  /** When the phase changed is noted here, unless the writer notes it. */
  prepareForStatusUpdate(volume, old, { now }) {
    const { phase, lastPhaseTransitionTime: at } = volume.status;
    const was = old.status;
    if (phase === was.phase) {
      if (at === undefined) volume.status = { ...volume.status, lastPhaseTransitionTime: was.lastPhaseTransitionTime };
    } else if (at === undefined || at === was.lastPhaseTransitionTime) {
      volume.status = { ...volume.status, lastPhaseTransitionTime: formatTime(instantOfMillis(now)) };
    }
  },

  validate: checkPersistentVolume,
  validateUpdate: checkPersistentVolumeUpdate,
  warnings: persistentVolumeWarnings,
});
