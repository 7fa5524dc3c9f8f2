import { type ObjectSelection, keyOf, type KubernetesObject, type Observed } from '../../client/index.ts';
import { selectionTest } from '../cache/selection-test.ts';
import type { AnyControllerOptions } from '../controller-options.ts';

/**
 * The objects that a controller no longer cares for although they are there: they have left its `where`, or a change of what
 * they state has made them irrelevant. They are finalized, and lose their children.
 */
export class Departures<T extends KubernetesObject> {
  readonly #options: AnyControllerOptions<T>;
  readonly #isInScope: ((object: Observed<KubernetesObject>) => boolean) | undefined;
  /** Keys that are out of sight: whether they have left or are gone, the server has to say. */
  readonly #outOfSight = new Set<string>();
  /** The uids of those that are in sight and irrelevant. */
  readonly #irrelevant = new Map<string, string>();

  constructor(options: AnyControllerOptions<T>) {
    this.#options = options;
    this.#isInScope = isSelecting(options.where) ? selectionTest(options.where ?? {}) : undefined;
  }

  /** Whether the watch no longer tells of an object that is still there. */
  get canLeaveSight(): boolean {
    const { finalize, owns = [] } = this.#options;
    return this.#isInScope !== undefined && (finalize !== undefined || owns.length > 0);
  }

  /** The watch has told that the object is deleted, which is also what it says of those that leave. */
  lostSightOf(key: string): void {
    this.#irrelevant.delete(key);
    if (this.canLeaveSight) this.#outOfSight.add(key);
  }

  /** Takes in a change of an object; tells whether the object leaves by it. */
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

  /** Whether the object is in sight, and of no interest any more. */
  isIrrelevant({ metadata }: Observed<T>, key: string): boolean {
    return this.#irrelevant.get(key) === metadata.uid;
  }

  /** The object of this key, if it is there and out of the controller's scope. */
  async find(key: string, fetch: () => Promise<Observed<T> | undefined>): Promise<Observed<T> | undefined> {
    if (!this.#outOfSight.has(key)) return undefined;
    const object = await fetch();
    return object === undefined || this.#isInScope?.(object) === true ? undefined : object;
  }

  /** What was to be done about the key is done. */
  settled(key: string): void {
    this.#outOfSight.delete(key);
  }

  #isWanted(object: Observed<T>): boolean {
    return this.#options.when?.(object, undefined) ?? true;
  }

  /** Whether the object was of interest, had it had its present status: what a controller reports makes nothing leave. */
  #wasWanted(old: Observed<T>, object: Observed<T>): boolean {
    const { status } = object as { readonly status?: unknown };
    return this.#isWanted({ ...old, status });
  }
}

/** Whether objects can leave the scope without being deleted. */
function isSelecting(where: ObjectSelection = {}): boolean {
  return where.labelSelector !== undefined || where.fieldSelector !== undefined;
}
