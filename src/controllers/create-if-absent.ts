import { isNamespaceTerminating } from '../api/meaning/index.ts';
import { hasReason } from '../client/index.ts';
import type { KubernetesObject, Sendable } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';

/**
 * Creates the object. Succeeds as well when it already exists or its namespace is terminating: a watch event follows.
 */
export async function createIfAbsent<T extends KubernetesObject>(
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
