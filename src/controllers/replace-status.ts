import { hasReason, keyOf, type KubernetesObject, type Observed, type Sendable } from '../client/index.ts';
import type { Objects } from '../kit/index.ts';

/** Writes a status. After a conflict the object is read again and written once more. */
export async function replaceStatus<T extends KubernetesObject & { status?: object }>(
  object: Observed<T>,
  status: Observed<T>['status'],
  objects: Objects<T>,
): Promise<void> {
  const withStatus = (base: object): Sendable<T> => ({ ...base, status }) as Sendable<T>;
  try {
    await objects.updateStatus(withStatus(object));
  } catch (error) {
    const latest = hasReason(error, 'Conflict') ? await objects.fetch(keyOf(object)) : undefined;
    if (latest?.metadata.uid !== object.metadata.uid) throw error;
    await objects.updateStatus(withStatus(latest));
  }
}
