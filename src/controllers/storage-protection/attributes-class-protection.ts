import {
  index,
  type Observed,
  PersistentVolume,
  PersistentVolumeClaim,
  VolumeAttributesClass,
} from '../../client/index.ts';
import { type Controller, watch } from '../../kit/index.ts';
import { protection } from './protection.ts';

const claimsByClass = index(PersistentVolumeClaim, (claim) => classesOfClaim(claim));
const volumesByClass = index(PersistentVolume, (volume) => classesOfVolume(volume));

/** Blocks the deletion of VolumeAttributesClasses that a claim or volume has or is about to get. */
export function attributesClassProtection(): Controller {
  return protection(VolumeAttributesClass, {
    name: 'volumeattributesclass-protection-controller',
    queueName: 'vacprotection',
    finalizer: 'kubernetes.io/vac-protection',
    watches: [watch(PersistentVolumeClaim, { to: classesOfClaim }), watch(PersistentVolume, { to: classesOfVolume })],
    isUsed: (_, { key, objects }) =>
      objects(PersistentVolume).byIndex(volumesByClass, key).length > 0 ||
      objects(PersistentVolumeClaim).byIndex(claimsByClass, key).length > 0,
  });
}

function classesOfClaim({ spec, status }: Pick<Observed<PersistentVolumeClaim>, 'spec' | 'status'>): string[] {
  const named = [
    spec?.volumeAttributesClassName,
    status?.currentVolumeAttributesClassName,
    status?.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(named)].flatMap((name = '') => (name === '' ? [] : [name]));
}

function classesOfVolume({ spec }: Pick<Observed<PersistentVolume>, 'spec'>): string[] {
  return [spec?.volumeAttributesClassName ?? ''].filter((name) => name !== '');
}
