import type { Observed, PersistentVolume } from '../../client/index.ts';

/** Fields of volumes whose plugins drivers have taken over from. */
const PLUGINS: readonly (readonly [keyof NonNullable<PersistentVolume['spec']>, string])[] = [
  ['awsElasticBlockStore', 'kubernetes.io/aws-ebs'],
  ['azureDisk', 'kubernetes.io/azure-disk'],
  ['azureFile', 'kubernetes.io/azure-file'],
  ['cinder', 'kubernetes.io/cinder'],
  ['gcePersistentDisk', 'kubernetes.io/gce-pd'],
  ['portworxVolume', 'kubernetes.io/portworx-volume'],
  ['vsphereVolume', 'kubernetes.io/vsphere-volume'],
];

/** The plugin of Kubernetes' own that a volume is of, if a driver has taken over from it; empty otherwise. */
export function pluginOf({ spec = {} }: Pick<Observed<PersistentVolume>, 'spec'>): string {
  return PLUGINS.find(([field]) => spec[field] !== undefined)?.[1] ?? '';
}
