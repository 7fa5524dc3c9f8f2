import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Kind, KubernetesObject, Observed } from '../../client/index.ts';

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

/** Index values for objects without a controller, by namespace: where those that may be adopted are looked up. */
export function orphanNamespace(object: Observed<KubernetesObject>): readonly string[] {
  return controllerOf(object) === undefined ? [object.metadata.namespace ?? ''] : [];
}

/** The name under which `orphanNamespace` is declared as an index. */
export const ORPHANS_INDEX = 'orphans';
