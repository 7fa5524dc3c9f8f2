import type { DeepReadonly } from '../../../base/index.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../types/core/v1.d.ts';

type Classified = DeepReadonly<PersistentVolume> | DeepReadonly<PersistentVolumeClaim>;

/** The class of claims and volumes before there was a field for it; it still comes first. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The name of the class that a claim asks for, or a volume belongs to; empty for none. */
export function storageClassNameOf({ metadata, spec }: Classified): string {
  return metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}

/** Whether a claim says which class it wants, be it none. */
export function namesStorageClass({ metadata, spec }: DeepReadonly<PersistentVolumeClaim>): boolean {
  return metadata?.annotations?.[CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}
