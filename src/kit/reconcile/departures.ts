import { type ObjectSelection, keyOf, type KubernetesObject, type Observed } from '../../client/index.ts';
import { selectionTest } from '../cache/selection-test.ts';
import type { AnyControllerOptions } from '../controller-options.ts';

/**
 * Existing objects that a controller no longer handles: they no longer match its `where`, or a change of more than their
 * status has made them irrelevant. They are finalized, and their children are deleted.
 */
export class Departures<T extends KubernetesObject> {
  readonly #options: AnyControllerOptions<T>;
  readonly #isInScope: ((object: Observed<KubernetesObject>) => boolean) | undefined;
  /** Keys that the watch has reported as deleted; only the server can say whether they left the selection or are gone. */
  readonly #outOfSight = new Set<string>();
  /** The uids of watched objects that are irrelevant, by key. */
  readonly #irrelevant = new Map<string, string>();

  constructor(options: AnyControllerOptions<T>) {
    this.#options = options;
    this.#isInScope = isSelecting(options.where) ? selectionTest(options.where ?? {}) : undefined;
  }

  /** Whether the watch may report an object as deleted that still exists. */
  get canLeaveSight(): boolean {
    const { finalize, owns = [] } = this.#options;
    return this.#isInScope !== undefined && (finalize !== undefined || owns.length > 0);
  }

  /** Records that the watch has reported the object as deleted, which may mean that it left the selection. */
  lostSightOf(key: string): void {
    this.#irrelevant.delete(key);
    if (this.canLeaveSight) this.#outOfSight.add(key);
  }

  /** Records a change of an object; returns whether the object leaves by it. */
  leavesBy(object: Observed<T>, old: Observed<T>): boolean {
    const { when, finalize, owns = [] } = this.#options;
    if (when === undefined || (finalize === undefined && owns.length === 0)) return false;
    const key = keyOf(object);
    const isWanted = this.#isWanted(object);
    if (isWanted) this.#irrelevant.delete(key);
    if (isWanted || !this.#wasWanted(old, object)) return false;
    this.#irrelevant.set(key, object.metadata.uid);
    return true;
  }

  /** Whether the object is watched and no longer relevant. */
  isIrrelevant({ metadata }: Observed<T>, key: string): boolean {
    return this.#irrelevant.get(key) === metadata.uid;
  }

  /** The object with this key, if it exists outside the controller's scope. */
  async find(key: string, fetch: () => Promise<Observed<T> | undefined>): Promise<Observed<T> | undefined> {
    if (!this.#outOfSight.has(key)) return undefined;
    const object = await fetch();
    return object === undefined || this.#isInScope?.(object) === true ? undefined : object;
  }

  /** Records that the departure of the key has been handled. */
  settled(key: string): void {
    this.#outOfSight.delete(key);
  }

  #isWanted(object: Observed<T>): boolean {
    return this.#options.when?.(object, undefined) ?? true;
  }

  /** Whether the object was relevant apart from its status: a status that a controller reports makes no object leave. */
  #wasWanted(old: Observed<T>, object: Observed<T>): boolean {
    const { status } = object as { readonly status?: unknown };
    return this.#isWanted({ ...old, status });
  }
}

/** Whether objects can leave the selection without being deleted. */
function isSelecting(where: ObjectSelection = {}): boolean {
  return where.labelSelector !== undefined || where.fieldSelector !== undefined;
}
