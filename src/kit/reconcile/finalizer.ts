import { deepFreeze } from '../../base/index.ts';
import { hasReason, keyOf, type KubernetesObject, mergePatch, type Observed } from '../../client/index.ts';
import type { Objects } from '../objects.ts';

/** How many conflicts with other writers are retried at once, before the retry is left to the back-off. */
const MAX_TRIES = 5;

export function hasFinalizer({ metadata }: Observed<KubernetesObject>, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) ?? false;
}

/** Adds the finalizer; keeps those of others. */
export function addFinalizer<T extends KubernetesObject>(
  object: Observed<T>,
  finalizer: string,
  objects: Objects<T>,
): Promise<Observed<T>> {
  return changeFinalizers(object, objects, (finalizers) =>
    finalizers.includes(finalizer) ? finalizers : [...finalizers, finalizer],
  );
}

/** Removes the finalizer; keeps those of others. */
export function removeFinalizer<T extends KubernetesObject>(
  object: Observed<T>,
  finalizer: string,
  objects: Objects<T>,
): Promise<Observed<T>> {
  return changeFinalizers(object, objects, (finalizers) =>
    finalizers.includes(finalizer) ? finalizers.filter((name) => name !== finalizer) : finalizers,
  );
}

async function changeFinalizers<T extends KubernetesObject>(
  object: Observed<T>,
  objects: Objects<T>,
  change: (finalizers: readonly string[]) => readonly string[],
): Promise<Observed<T>> {
  const key = keyOf(object);
  let current = object;
  for (let tries = 1; ; tries++) {
    const { resourceVersion, uid, finalizers = [] } = current.metadata;
    const wanted = change(finalizers);
    if (wanted === finalizers) return current;
    try {
      return await objects.patch(key, mergePatch({ metadata: { uid, resourceVersion, finalizers: wanted } }));
    } catch (error) {
      if (!hasReason(error, 'Conflict') || tries === MAX_TRIES) throw error;
      const newer = await objects.fetch(key);
      if (newer?.metadata.uid !== uid) throw error; // another object now has its name
      current = deepFreeze(newer) as Observed<T>;
    }
  }
}
