import type { DeepReadonly } from '../../../base/index.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../types/core/v1.d.ts';

type Classified = DeepReadonly<PersistentVolume> | DeepReadonly<PersistentVolumeClaim>;

/** The annotation that held the class before the field existed; it takes precedence. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** The class of a claim or volume; empty for none. */
export function storageClassNameOf({ metadata, spec }: Classified): string {
  return metadata?.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}

/** Whether a claim states its class, even if that is none. */
export function namesStorageClass({ metadata, spec }: DeepReadonly<PersistentVolumeClaim>): boolean {
  return metadata?.annotations?.[CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}
