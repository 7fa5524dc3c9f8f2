import { controllerOf } from '../../api/meaning/index.ts';
import type { Index, KubernetesObject } from '../../client/index.ts';

/** Objects without a controller by namespace: candidates for adoption. */
export const orphansByNamespace: Index<KubernetesObject> = {
  kind: undefined,
  valuesOf: (object) => (controllerOf(object) === undefined ? object.metadata.namespace : undefined),
};
