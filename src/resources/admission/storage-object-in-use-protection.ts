import type { AdmissionPlugin, AdmissionTarget } from '../../apiserver/index.ts';
import { isCreateOf, setMetadata } from './written-object.ts';

/** The protected kinds and their finalizers; controllers remove these when the object is no longer used. */
const PROTECTED = [
  { group: '', plural: 'persistentvolumes', finalizer: 'kubernetes.io/pv-protection' },
  { group: '', plural: 'persistentvolumeclaims', finalizer: 'kubernetes.io/pvc-protection' },
  { group: 'storage.k8s.io', plural: 'volumeattributesclasses', finalizer: 'kubernetes.io/vac-protection' },
];

/** Adds finalizers to volumes, claims and attributes classes, so that they are not deleted while in use. */
export function storageObjectInUseProtection(): AdmissionPlugin {
  return {
    name: 'StorageObjectInUseProtection',
    handles: (target) => finalizerFor(target) !== undefined,
    mutate(request) {
      const finalizer = finalizerFor(request);
      const { finalizers = [] } = request.object?.metadata ?? {};
      if (finalizer === undefined || finalizers.includes(finalizer)) return;
      setMetadata(request, { finalizers: [...finalizers, finalizer] });
    },
  };
}

function finalizerFor(target: AdmissionTarget): string | undefined {
  return PROTECTED.find((place) => isCreateOf(target, place))?.finalizer;
}
