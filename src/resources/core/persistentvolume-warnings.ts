import type { PersistentVolume, PersistentVolumeSpec } from '../../api/types/core/v1.d.ts';
import type { Whole } from '../kind.ts';

const ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const SOURCES: readonly (readonly [name: keyof PersistentVolumeSpec, shown: string, versions: string])[] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function persistentVolumeWarnings({ metadata, spec }: Whole<PersistentVolume>): string[] {
  const warnings = Object.entries(ANNOTATIONS)
    .filter(([name]) => metadata.annotations?.[name] !== undefined)
    .map(([name, text]) => `metadata.annotations[${name}]: ${text}`);
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. ' +
        'Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  for (const [name, shown, versions] of SOURCES) {
    if (spec[name] !== undefined) warnings.push(`spec.${shown}: ${versions}`);
  }
  return warnings;
}
