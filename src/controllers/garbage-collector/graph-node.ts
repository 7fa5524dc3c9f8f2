import type { DeepReadonly } from '../../base/index.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { ObjectReference } from './object-reference.ts';

export type Owner = DeepReadonly<OwnerReference>;

const NONE: ReadonlySet<GraphNode> = new Set();

/** An object as the garbage collector sees it: who owns it, whom it owns, and how far its deletion is. */
export class GraphNode {
  identity: ObjectReference;
  owners: readonly Owner[] = [];
  /** Known from the references of its dependents only: no watch has told of it. */
  isVirtual: boolean;
  isBeingDeleted = false;
  /** Is being deleted in the foreground: waits until its dependents are gone. */
  isDeletingDependents = false;
  /** Is being deleted and waits until its dependents have lost their references to it. */
  isOrphaning = false;
  #dependents: Set<GraphNode> | undefined;

  constructor(identity: ObjectReference, options: { readonly isVirtual: boolean }) {
    this.identity = identity;
    this.isVirtual = options.isVirtual;
  }

  get uid(): string {
    return this.identity.uid;
  }

  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? NONE;
  }

  /** The dependents that hold up the deletion in the foreground. */
  get blockingDependents(): GraphNode[] {
    return [...this.dependents].filter(({ owners }) =>
      owners.some(({ uid, blockOwnerDeletion }) => uid === this.uid && blockOwnerDeletion === true),
    );
  }

  addDependent(node: GraphNode): void {
    this.#dependents ??= new Set();
    this.#dependents.add(node);
  }

  removeDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
    if (this.#dependents?.size === 0) this.#dependents = undefined;
  }
}
