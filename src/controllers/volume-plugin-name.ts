import type { Observed, PersistentVolume } from '../client/index.ts';
import { pluginOf } from './volume-expand/volume-plugin.ts';

/** Fields of volumes that Kubernetes' own plugins still see to. */
const OWN = [
  ['nfs', 'kubernetes.io/nfs'],
  ['hostPath', 'kubernetes.io/host-path'],
  ['local', 'kubernetes.io/local-volume'],
  ['iscsi', 'kubernetes.io/iscsi'],
  ['fc', 'kubernetes.io/fc'],
  ['flexVolume', 'flexvolume'],
] as const;

/** Who sees to a volume, in the words of metrics; `N/A` when nobody does. */
export function volumePluginOf({ spec = {} }: Pick<Observed<PersistentVolume>, 'spec'>): string {
  if (spec.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`;
  const own = OWN.find(([field]) => spec[field] !== undefined)?.[1];
  const migrated = pluginOf({ spec });
  return own ?? (migrated === '' ? 'N/A' : migrated);
}
