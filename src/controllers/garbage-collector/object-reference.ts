import type { OwnerReference } from '../../api/types/meta/v1.d.ts';

/** The location and identity of an object. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The owner that a dependent in this namespace refers to. Whether the owner is namespaced is not known here. */
export function ownerOf({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): ObjectReference {
  return { apiVersion, kind, namespace, name, uid };
}

export function isSameReference(left: ObjectReference, right: ObjectReference): boolean {
  return left.namespace === right.namespace && pointsAt(left, right);
}

/** Whether the reference agrees with the owner in all that it specifies. */
export function pointsAt(reference: OwnerReference | ObjectReference, owner: ObjectReference): boolean {
  return (
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    reference.kind === owner.kind &&
    reference.apiVersion === owner.apiVersion
  );
}

/** Equal for equal references. */
export function referenceKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `${kind}\n${apiVersion}\n${namespace}\n${name}\n${uid}`;
}

/** The reference as formatted in events. */
export function describeReference({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** Orders by kind, version, namespace and name. */
export function isReferenceBefore(left: ObjectReference, right: ObjectReference): boolean {
  return referenceKey(left) < referenceKey(right);
}
