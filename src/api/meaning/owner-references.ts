import type { DeepReadonly } from '../../base/index.ts';
import type { ObjectMeta, OwnerReference } from '../types/meta/v1.d.ts';

interface Owned {
  readonly metadata?: DeepReadonly<Pick<ObjectMeta, 'ownerReferences'>>;
}

interface Owner {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** The reference to the object's controller, if there is one. */
export function controllerOf({ metadata }: Owned): DeepReadonly<OwnerReference> | undefined {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

export function isControlledBy(object: Owned, owner: Owner): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The owner reference for an object that `owner` controls, and that foreground deletion of the owner waits for. */
export function controllerReference(
  { metadata: { name, uid } }: Owner,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): OwnerReference {
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
