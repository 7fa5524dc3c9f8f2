import type { KubernetesObject, Observed } from '../kind.ts';

/** Changes an object before it is cached. Must be deterministic and must not change a frozen object. */
export type Transform<T extends KubernetesObject> = (object: Observed<T>) => Observed<T>;

interface Managed {
  readonly metadata: { readonly managedFields?: unknown };
}

/**
 * Drops `managedFields`, which few programs read and which can be more than half of an object. Frozen objects, shared
 * by a server in the same process, stay as they are: they cost nothing, a copy would.
 */
export function dropManagedFields<O extends Managed>(object: O): O {
  if (object.metadata.managedFields === undefined || Object.isFrozen(object)) return object;
  // Not shared yet: fresh from the wire. `delete` would turn the object into a slow dictionary.
  (object.metadata as { managedFields?: unknown }).managedFields = undefined;
  return object;
}

/** Keeps only metadata, without `managedFields`: for servers that send whole objects when asked for metadata. */
export function keepMetadata(object: Observed<KubernetesObject>): Observed<KubernetesObject> {
  const { kind, apiVersion, metadata } = dropManagedFields(object);
  return { kind, apiVersion, metadata };
}
