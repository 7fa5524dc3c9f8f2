import type { KubernetesObject, Observed } from '../kind.ts';

/** Changes an object before it is kept. Must give the same for the same, and must not change a frozen object. */
export type Transform<T extends KubernetesObject> = (object: Observed<T>) => Observed<T>;

interface Managed {
  readonly metadata: { readonly managedFields?: unknown };
}

/**
 * Drops `managedFields`, which few read and which can be more than half of an object. What the server in the same process
 * shares with us is left as it is: it costs nothing, and a copy would.
 */
export function dropManagedFields<O extends Managed>(object: O): O {
  if (object.metadata.managedFields === undefined || Object.isFrozen(object)) return object;
  // Ours alone until now, fresh from the wire. Removing the member instead would turn the object into a slow dictionary.
  (object.metadata as { managedFields?: unknown }).managedFields = undefined;
  return object;
}

/** Keeps metadata only, without `managedFields`: for servers that send whole objects although asked for metadata. */
export function keepMetadata(object: Observed<KubernetesObject>): Observed<KubernetesObject> {
  const { kind, apiVersion, metadata } = dropManagedFields(object);
  return { kind, apiVersion, metadata };
}
