import { controllerOf } from '../../api/meaning/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';

/** Whether a change may concern an owner: an orphan can only be adopted after a change of its labels. */
export function concernsOwners(
  object: Observed<KubernetesObject>,
  old: Observed<KubernetesObject> | undefined,
): boolean {
  if (old === undefined || controllerOf(object) !== undefined || controllerOf(old) !== undefined) return true;
  return !deepEqual(object.metadata.labels, old.metadata.labels);
}
