import type { PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { StorageClass } from '../../api/types/storage/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { amount } from '../core/resource-list.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal } from './refusal.ts';
import { isUpdateOf, storedObject, writtenObject } from './written-object.ts';

const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Allows claims to grow only if they are bound and their class allows expansion. */
export function persistentVolumeClaimResize({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const classes = objects.of<StorageClass>('storage.k8s.io', 'storageclasses');

  async function mayGrow(claim: Whole<PersistentVolumeClaim>, old: Whole<PersistentVolumeClaim>): Promise<boolean> {
    const name = classOf(claim);
    if (name === '' || name !== classOf(old)) return false;
    return (await classes.get('', name))?.allowVolumeExpansion ?? false;
  }

  return {
    name: 'PersistentVolumeClaimResize',
    handles: (target) => isUpdateOf(target, { group: '', plural: 'persistentvolumeclaims' }),
    async validate(request) {
      const claim = writtenObject<PersistentVolumeClaim>(request);
      const old = storedObject<PersistentVolumeClaim>(request);
      if (sizeOf(claim).compare(sizeOf(old)) <= 0) return;
      if (old.status.phase !== 'Bound') throw refusal(request, 'Only bound persistent volume claims can be expanded');
      if (await mayGrow(claim, old)) return;
      throw refusal(
        request,
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

function sizeOf({ spec }: Whole<PersistentVolumeClaim>): ReturnType<typeof amount> {
  return amount(spec.resources?.requests?.['storage'] ?? '0');
}

function classOf({ metadata, spec }: Whole<PersistentVolumeClaim>): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}
