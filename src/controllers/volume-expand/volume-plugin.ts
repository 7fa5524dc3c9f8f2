import type { Observed, PersistentVolume } from '../../client/index.ts';

/** Volume sources of in-tree plugins that were migrated to CSI. */
const PLUGINS: readonly (readonly [keyof NonNullable<PersistentVolume['spec']>, string])[] = [
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['cinder', 'kubernetes.io/cinder'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
];

/** The in-tree plugin of a volume that was migrated to CSI; empty otherwise. */
export function pluginOf({ spec = {} }: Pick<Observed<PersistentVolume>, 'spec'>): string {
  return PLUGINS.find(([field]) => spec[field] !== undefined)?.[1] ?? '';
}
