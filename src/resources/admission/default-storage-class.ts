import type { PersistentVolumeClaim } from '../../api/types/core/v1.d.ts';
import type { StorageClass } from '../../api/types/storage/v1.d.ts';
import type { AdmissionPlugin } from '../../apiserver/index.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { newestDefault } from './newest-default.ts';
import { isCreateOf, setSpec, writtenObject } from './written-object.ts';

const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
/** The annotation that held the class of a claim before the field existed. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Sets the default class on claims without one. */
export function defaultStorageClass({ objects }: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const classes = objects.of<StorageClass>('storage.k8s.io', 'storageclasses');
  return {
    name: 'DefaultStorageClass',
    handles: (target) => isCreateOf(target, { group: '', plural: 'persistentvolumeclaims' }),
    async mutate(request) {
      const { metadata, spec } = writtenObject<PersistentVolumeClaim>(request);
      if (spec.storageClassName !== undefined || metadata.annotations?.[CLASS_ANNOTATION] !== undefined) return;
      const found = newestDefault(await classes.list(), IS_DEFAULT);
      if (found !== undefined) setSpec(request, { ...spec, storageClassName: found.metadata?.name });
    },
  };
}
