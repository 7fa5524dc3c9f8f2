import type { OwnerReference } from '../../api/types/meta/v1.d.ts';

/** Where an object is, and which one it is. */
export interface ObjectReference {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty outside of namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The owner that a dependent in this namespace means. Whether the owner is namespaced at all is not known here. */
export function ownerOf({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): ObjectReference {
  return { apiVersion, kind, namespace, name, uid };
}

export function isSameReference(left: ObjectReference, right: ObjectReference): boolean {
  return left.namespace === right.namespace && pointsAt(left, right);
}

/** Whether an owner reference says of the owner what is true, as far as it says anything. */
export function pointsAt(reference: OwnerReference | ObjectReference, owner: ObjectReference): boolean {
  return (
    reference.uid === owner.uid &&
    reference.name === owner.name &&
    reference.kind === owner.kind &&
    reference.apiVersion === owner.apiVersion
  );
}

/** A text that two references share if they are the same. */
export function referenceKey({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `${kind}\n${apiVersion}\n${namespace}\n${name}\n${uid}`;
}

/** As events show it. */
export function describeReference({ apiVersion, kind, namespace, name, uid }: ObjectReference): string {
  return `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
}

/** An order: by kind, version, namespace, name. */
export function isReferenceBefore(left: ObjectReference, right: ObjectReference): boolean {
  return referenceKey(left) < referenceKey(right);
}
