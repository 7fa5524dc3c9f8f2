import type { KubernetesObject, Observed } from '../../client/index.ts';

/**
 * Whether what the server handed back of a deletion is the last state of an object that is gone, rather than one that is
 * waiting for finalizers or for its grace period to end.
 */
export function isGone(object: Observed<KubernetesObject>): boolean {
  return object.metadata.deletionTimestamp === undefined || isEnded(object);
}

/** Whether an object is being deleted and nothing keeps it any more, as after its last finalizer was removed. */
export function isEnded(object: Observed<KubernetesObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly string[] } }; // as namespaces have
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0 && (spec?.finalizers ?? []).length === 0;
}
