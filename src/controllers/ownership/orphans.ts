import { controllerOf } from '../../api/meaning/index.ts';
import type { KubernetesObject, Observed } from '../../client/index.ts';

/** Index values for objects without a controller, by namespace: where those that may be adopted are looked up. */
export function orphanNamespace(object: Observed<KubernetesObject>): readonly string[] {
  return controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : [];
}

/** The name under which `orphanNamespace` is declared as an index. */
export const ORPHANS_INDEX = 'orphans';
