import { inParallel } from '../../kit/index.ts';
import type { DependencyGraph } from './dependency-graph.ts';
import { FOREGROUND_FINALIZER, hasFinalizer, ORPHAN_FINALIZER } from './finalizers.ts';
import type { GraphNode } from './graph-node.ts';
import { type DeletionChoice, type LiveObjects, type Metadata, UnresolvableOwnerError } from './live-objects.ts';
import type { OwnerClassifier } from './owner-states.ts';

/** Maximum number of dependents orphaned concurrently. */
const ORPHANS_AT_ONCE = 20;

export interface CollectorParts {
  readonly graph: DependencyGraph;
  readonly live: LiveObjects;
  readonly judge: OwnerClassifier;
  /** Queues the object for examination. */
  readonly examine: (node: GraphNode) => void;
}

/**
 * Deletes objects without owners, and completes foreground and orphaning deletions. Decides by the API server's current
 * state.
 */
export class Collector {
  readonly #parts: CollectorParts;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /**
   * Deletes the object if all its owners are absent, and completes its foreground deletion if its dependents are gone.
   */
  async examine(uid: string): Promise<'again' | void> {
    const node = this.#parts.graph.node(uid);
    if (node === undefined || !isOfInterest(node)) return;
    const { identity } = node;
    try {
      const metadata = await this.#parts.live.get(identity);
      if (metadata?.uid !== uid) this.#parts.graph.confirmAbsent(identity);
      else if (node.isDeletingDependents) await this.#endForeground(node);
      else await this.#judge(node, metadata);
    } catch (error) {
      if (error instanceof UnresolvableOwnerError) return; // retrying would not help
      throw error;
    }
    // an object that no watch covers could be deleted without an event
    const isUnwatched = this.#parts.graph.node(uid) === node && node.isVirtual && node.identity === identity;
    return isUnwatched ? 'again' : undefined;
  }

  /** Removes the object from the ownerReferences of its dependents, then removes its orphan finalizer. */
  async orphanDependents(uid: string): Promise<void> {
    const node = this.#parts.graph.node(uid);
    if (node?.isOrphaning !== true) return;
    const release = ({ identity }: GraphNode): Promise<void> => this.#parts.live.removeOwners(identity, [uid]);
    await inParallel([...node.dependents], release, { limit: ORPHANS_AT_ONCE });
    await this.#parts.live.removeFinalizer(node.identity, ORPHAN_FINALIZER);
  }

  /**
   * Removes the foreground finalizer once no dependent blocks the deletion; until then queues the blocking dependents.
   */
  async #endForeground(node: GraphNode): Promise<void> {
    const blocking = node.blockingDependents;
    if (blocking.length === 0) return await this.#parts.live.removeFinalizer(node.identity, FOREGROUND_FINALIZER);
    for (const dependent of blocking) if (!dependent.isDeletingDependents) this.#parts.examine(dependent);
  }

  async #judge(node: GraphNode, metadata: Metadata): Promise<void> {
    const { ownerReferences = [] } = metadata;
    if (ownerReferences.length === 0) return;
    const { identity } = node;
    const { solid, dangling, waiting } = await this.#parts.judge.judge(identity, ownerReferences);
    if (solid.length > 0) {
      // the waiting owners would wait forever if the object kept blocking them
      if (dangling.length + waiting.length > 0)
        await this.#parts.live.removeOwners(identity, [...dangling, ...waiting]);
      return;
    }
    if (waiting.length > 0 && node.dependents.size > 0) {
      const isInCircle = [...node.dependents].some(({ isDeletingDependents }) => isDeletingDependents);
      if (isInCircle) await this.#parts.live.unblockOwners(identity, node.owners);
      const seen = isInCircle ? await this.#parts.live.get(identity) : metadata;
      return await this.#delete(node, seen, { propagationPolicy: 'Foreground' });
    }
    await this.#delete(node, metadata, { propagationPolicy: policyOf(metadata) });
  }

  async #delete(node: GraphNode, seen: Metadata | undefined, choice: DeletionChoice): Promise<void> {
    const { identity } = node;
    const isThere = seen?.uid === identity.uid && (await this.#parts.live.delete(identity, seen, choice));
    if (!isThere) this.#parts.graph.confirmAbsent(identity);
  }
}

/** Whether there is anything to do. An object that is being deleted matters only if it waits for its dependents. */
function isOfInterest(node: GraphNode): boolean {
  if (node.isDeletingDependents || node.isVirtual) return true;
  return !node.isBeingDeleted && node.owners.length > 0;
}

/** The propagation policy that the object's finalizers request. */
function policyOf(metadata: Metadata): DeletionChoice['propagationPolicy'] {
  if (hasFinalizer(metadata, ORPHAN_FINALIZER)) return 'Orphan';
  return hasFinalizer(metadata, FOREGROUND_FINALIZER) ? 'Foreground' : 'Background';
}
