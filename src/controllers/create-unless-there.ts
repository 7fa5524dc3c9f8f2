import { isNamespaceTerminating } from '../api/meaning/index.ts';
import { hasReason } from '../client/index.ts';
import type { KubernetesObject, Sendable } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';

/** Creates the object. That somebody was faster, or that its namespace goes away, is as good: the watch tells of it. */
export async function createUnlessThere<T extends KubernetesObject>(
  objects: Objects<T>,
  object: Sendable<T>,
): Promise<void> {
  try {
    await objects.create(object);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists') && !hasReason(error, 'NotFound') && !isNamespaceTerminating(error))
      throw error;
  }
}
