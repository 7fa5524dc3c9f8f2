import type { KubernetesObject, Observed } from '../../client/index.ts';
import { FOREGROUND_FINALIZER, hasFinalizer, ORPHAN_FINALIZER } from './finalizers.ts';
import { GraphNode, type Owner } from './graph-node.ts';
import { isSameReference, type ObjectReference, ownerOf, pointsAt } from './object-reference.ts';
import { ownerChanges, unblockedOwners } from './owner-changes.ts';
import { opinionsOn, otherIdentity } from './owner-identity.ts';

/** Receives the consequences of graph changes. */
export interface GraphListener {
  /** The object may have to be deleted, or its deletion may be complete. */
  examine(node: GraphNode, options?: { readonly isRetry: boolean }): void;
  /** The object waits for its dependents to be orphaned. */
  orphan(node: GraphNode): void;
  /** The object is absent, but dependents refer to it. */
  isAbsent(owner: ObjectReference): void;
  /** The object names an owner in another namespace. */
  refersElsewhere(dependent: GraphNode, owner: Owner): void;
}

/** An object as reported by a watch: only its metadata. */
export interface ObservedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Observed<KubernetesObject>['metadata'];
}

const NO_OWNERS: readonly Owner[] = [];

/**
 * The graph of owners and dependents, as far as the watches have reported.
 *
 * An owner that is referred to but was not observed yet is a virtual node, until it is observed or confirmed absent.
 *
 * Example: a ReplicaSet's pod is observed before the ReplicaSet: a virtual node with one dependent, to be examined.
 * When the ReplicaSet is observed the node becomes real. When its deletion is observed, the pod is to be examined.
 */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #listener: GraphListener;

  constructor(listener: GraphListener) {
    this.#listener = listener;
  }

  get size(): number {
    return this.#nodes.size;
  }

  node(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  /** Records the object's current state. */
  observe(sighting: ObservedObject): void {
    const identity = identityOf(sighting);
    const owners = sighting.metadata.ownerReferences ?? NO_OWNERS;
    const known = this.#nodes.get(identity.uid);
    if (known === undefined) {
      const node = new GraphNode(identity, { isVirtual: false });
      node.owners = owners;
      this.#nodes.set(identity.uid, node);
      this.#addToOwners(node, owners);
      return this.#followDeletion(node, sighting);
    }
    if (known.isVirtual) this.#becomeReal(known, identity);
    this.#changeOwners(known, owners);
    this.#followDeletion(known, sighting);
  }

  /** Records that the object was deleted. */
  remove(sighting: ObservedObject): void {
    const node = this.#nodes.get(sighting.metadata.uid);
    if (node !== undefined) this.#drop(node, identityOf(sighting));
  }

  /**
   * Records that the API server has no object with this uid at this reference. The reference itself may be a
   * dependent's mistake.
   */
  confirmAbsent(absent: ObjectReference): void {
    const node = this.#nodes.get(absent.uid);
    if (node === undefined) return;
    const isPlace = isSameReference(node.identity, absent);
    const { right, wrong } = opinionsOn(absent, node.dependents);
    if (node.isVirtual ? wrong.length === 0 : isPlace) return this.#drop(node, absent);
    if (right.length > 0) this.#listener.isAbsent(absent);
    for (const dependent of right) this.#listener.examine(dependent);
    const other = node.isVirtual && isPlace ? otherIdentity(absent, wrong) : undefined;
    if (other === undefined) return;
    node.identity = other;
    this.#listener.examine(node, { isRetry: true });
  }

  #becomeReal(node: GraphNode, identity: ObjectReference): void {
    node.isVirtual = false;
    if (isSameReference(node.identity, identity)) return;
    node.identity = identity;
    for (const dependent of opinionsOn(identity, node.dependents).wrong) {
      const isElsewhere = identity.namespace !== '' && identity.namespace !== dependent.identity.namespace;
      if (isElsewhere) this.#reportElsewhere(dependent, node);
      this.#listener.examine(dependent);
    }
  }

  #changeOwners(node: GraphNode, owners: readonly Owner[]): void {
    const changes = ownerChanges(node.owners, owners);
    for (const uid of unblockedOwners(changes)) {
      const owner = this.#nodes.get(uid);
      if (owner !== undefined) this.#listener.examine(owner);
    }
    node.owners = owners;
    this.#addToOwners(node, changes.added);
    this.#removeFromOwners(node, changes.removed);
  }

  #addToOwners(node: GraphNode, owners: readonly Owner[]): void {
    let isDoubtful = false;
    for (const reference of owners) {
      const owner = this.#nodes.get(reference.uid);
      if (owner === undefined) {
        this.#addVirtual(node, reference);
        continue;
      }
      owner.addDependent(node);
      const { namespace } = owner.identity;
      const isElsewhere = namespace !== '' && namespace !== node.identity.namespace;
      if (isElsewhere && !owner.isVirtual && !isDoubtful) this.#reportElsewhere(node, owner);
      // a virtual cluster-scoped owner may turn out to be namespaced, if a cluster-scoped object refers to it
      const isUnclear = owner.isVirtual && namespace !== node.identity.namespace;
      if (isElsewhere || isUnclear || !pointsAt(reference, owner.identity)) isDoubtful = true;
    }
    if (isDoubtful) this.#listener.examine(node);
  }

  #addVirtual(dependent: GraphNode, reference: Owner): void {
    const owner = new GraphNode(ownerOf(reference, dependent.identity.namespace), { isVirtual: true });
    this.#nodes.set(reference.uid, owner);
    owner.addDependent(dependent);
    this.#listener.examine(owner);
  }

  #removeFromOwners(node: GraphNode, owners: readonly Owner[]): void {
    for (const { uid } of owners) this.#nodes.get(uid)?.removeDependent(node);
  }

  #followDeletion(node: GraphNode, { metadata }: ObservedObject): void {
    const { deletionTimestamp } = metadata;
    const wasOrphaning = node.isOrphaning;
    const wasDeletingDependents = node.isDeletingDependents;
    node.isBeingDeleted = deletionTimestamp !== undefined;
    node.isOrphaning = node.isBeingDeleted && hasFinalizer(metadata, ORPHAN_FINALIZER);
    node.isDeletingDependents = node.isBeingDeleted && hasFinalizer(metadata, FOREGROUND_FINALIZER);
    if (node.isOrphaning && !wasOrphaning) return this.#listener.orphan(node);
    if (!node.isDeletingDependents || wasDeletingDependents) return;
    for (const dependent of node.dependents) this.#listener.examine(dependent);
    this.#listener.examine(node);
  }

  #drop(node: GraphNode, absent: ObjectReference): void {
    this.#nodes.delete(node.uid);
    this.#removeFromOwners(node, node.owners);
    if (node.dependents.size > 0) this.#listener.isAbsent(absent);
    for (const dependent of node.dependents) this.#listener.examine(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      if (owner?.isDeletingDependents === true) this.#listener.examine(owner);
    }
  }

  #reportElsewhere(dependent: GraphNode, { uid }: GraphNode): void {
    const reference = dependent.owners.find((owner) => owner.uid === uid);
    if (reference !== undefined) this.#listener.refersElsewhere(dependent, reference);
  }
}

function identityOf({ apiVersion, kind, metadata }: ObservedObject): ObjectReference {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name, uid: metadata.uid };
}
