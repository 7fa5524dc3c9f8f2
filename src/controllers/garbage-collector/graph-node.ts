import type { DeepReadonly } from '../../base/index.ts';
import type { OwnerReference } from '../../api/types/meta/v1.d.ts';
import type { ObjectReference } from './object-reference.ts';

export type Owner = DeepReadonly<OwnerReference>;

const NONE: ReadonlySet<GraphNode> = new Set();

/** An object in the graph: its owners, its dependents, and the state of its deletion. */
export class GraphNode {
  identity: ObjectReference;
  owners: readonly Owner[] = [];
  /** Known only from the references of its dependents: no watch has reported it. */
  isVirtual: boolean;
  isBeingDeleted = false;
  /** In foreground deletion: waits until its dependents are gone. */
  isDeletingDependents = false;
  /** Waits until its dependents no longer refer to it. */
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

  /** The dependents that block the foreground deletion. */
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
