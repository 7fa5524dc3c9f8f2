import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Index, Kind, KubernetesObject, Observed } from '../../client/index.ts';

/** The reference to the one owner that controls the object, if there is one. */
export function controllerOf(object: DeepReadonly<KubernetesObject>): DeepReadonly<OwnerReference> | undefined {
  return object.metadata?.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: DeepReadonly<KubernetesObject>, owner: Observed<KubernetesObject>): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** What an object carries when `owner` controls it, and may not go away before it. */
export function controllerReference(owner: Observed<KubernetesObject>, kind: Kind): OwnerReference {
  return {
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Objects without a controller by namespace: those that may be adopted. */
export const orphansByNamespace: Index<KubernetesObject> = {
  kind: undefined,
  valuesOf: (object) => (controllerOf(object) === undefined ? object.metadata.namespace : undefined),
};
