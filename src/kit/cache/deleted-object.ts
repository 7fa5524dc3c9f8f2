import type { KubernetesObject, Observed } from '../../client/index.ts';

/**
 * Whether the server's answer to a deletion is the last state of a deleted object, rather than one that waits for
 * finalizers or its grace period.
 */
export function isGone(object: Observed<KubernetesObject>): boolean {
  return object.metadata.deletionTimestamp === undefined || isEnded(object);
}

/** Whether an object is being deleted and has no finalizers left. */
export function isEnded(object: Observed<KubernetesObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly string[] } }; // namespaces have finalizers in their spec
  return finalizers.length === 0 && deletionGracePeriodSeconds === 0 && (spec?.finalizers ?? []).length === 0;
}
