import { VolumeCapability_AccessMode_Mode as Mode } from '../protocol/csi-v1.ts';

/**
 * The access mode of CSI for access modes of Kubernetes. Drivers that tell volumes of one pod from volumes of one node get modes of
 * their own for these. Throws for combinations that have none.
 */
export function accessModeOf(modes: readonly string[], hasSinglePodVolumes: boolean): number {
  const all = new Set(modes);
  if (all.has('ReadWriteOncePod')) {
    if (all.size > 1)
      throw new Error(
        'Kubernetes does not support use of ReadWriteOncePod with other access modes on the same PersistentVolume',
      );
    return hasSinglePodVolumes ? Mode.SINGLE_NODE_SINGLE_WRITER : Mode.SINGLE_NODE_WRITER;
  }
  if (all.has('ReadWriteMany')) return Mode.MULTI_NODE_MULTI_WRITER;
  if (all.has('ReadOnlyMany') && all.has('ReadWriteOnce'))
    throw new Error('CSI does not support ReadOnlyMany and ReadWriteOnce on the same PersistentVolume');
  if (all.has('ReadOnlyMany')) return Mode.MULTI_NODE_READER_ONLY;
  if (all.has('ReadWriteOnce')) return hasSinglePodVolumes ? Mode.SINGLE_NODE_MULTI_WRITER : Mode.SINGLE_NODE_WRITER;
  throw new Error(`unsupported AccessMode combination: [${modes.join(' ')}]`);
}
