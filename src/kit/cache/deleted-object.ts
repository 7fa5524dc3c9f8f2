import type { KubernetesObject, Stored } from '../../client/index.ts';

/**
 * Whether what the server handed back of a deletion is the last state of an object that is gone, rather than one that is
 * waiting for finalizers or for its grace period to end.
 */
export function isGone(object: Stored<KubernetesObject>): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  const { spec } = object as { readonly spec?: { readonly finalizers?: readonly string[] } }; // as namespaces have
  const isWaiting = finalizers.length > 0 || deletionGracePeriodSeconds > 0 || (spec?.finalizers?.length ?? 0) > 0;
  return deletionTimestamp === undefined || !isWaiting;
}
