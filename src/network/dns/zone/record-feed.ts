import { nextTurn } from '../../../base/index.ts';
import { keyOf, type KubernetesObject, type Observed, type ReflectorSink } from '../../../client/index.ts';

/** Where the objects of one kind go. */
export interface RecordTarget<T extends KubernetesObject> {
  set(object: Observed<T>): void;
  delete(object: { readonly metadata: { readonly name: string; readonly namespace?: string } }): void;
  /** The keys of all objects that are there. */
  keys(): Iterable<string>;
}

type Change<T extends KubernetesObject> =
  | { readonly type: 'set' | 'delete'; readonly object: Observed<T> }
  | { readonly type: 'replace'; readonly objects: readonly Observed<T>[] };

/** Objects that are taken in one turn of the event loop: about a millisecond. */
const TURN = 128;

/**
 * Takes the objects of a reflector into the records, some at a time, so that queries are answered in between.
 *
 * Guarantees: changes are applied in order. In a list of everything, the objects that are there are taken in before those that are
 * not are removed: a name that exists before and after never disappears in between.
 */
export class RecordFeed<T extends KubernetesObject> implements ReflectorSink<T> {
  readonly #target: RecordTarget<T>;
  readonly #onChange: () => void;
  #changes: Change<T>[] = [];
  #isTaking = false;
  #isSynced = false;

  constructor(target: RecordTarget<T>, onChange: () => void) {
    this.#target = target;
    this.#onChange = onChange;
  }

  /** Whether the first list is in the records. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Whether all changes so far are in the records. */
  get isIdle(): boolean {
    return !this.#isTaking;
  }

  add(object: Observed<T>): void {
    this.#push({ type: 'set', object });
  }

  update(object: Observed<T>): void {
    this.#push({ type: 'set', object });
  }

  delete(object: Observed<T>): void {
    this.#push({ type: 'delete', object });
  }

  replace(objects: readonly Observed<T>[]): void {
    this.#changes = []; // the list is newer
    this.#push({ type: 'replace', objects });
  }

  #push(change: Change<T>): void {
    this.#changes.push(change);
    if (this.#isTaking) return;
    this.#isTaking = true;
    void this.#take();
  }

  async #take(): Promise<void> {
    let taken = 0;
    for (let next = this.#changes.shift(); next !== undefined; next = this.#changes.shift()) {
      if (next.type === 'replace') await this.#replace(next.objects);
      else this.#apply(next);
      if (++taken % TURN === 0) await nextTurn();
    }
    this.#isTaking = false;
  }

  #apply({ type, object }: Exclude<Change<T>, { type: 'replace' }>): void {
    if (type === 'set') this.#target.set(object);
    else this.#target.delete(object);
    this.#onChange();
  }

  async #replace(objects: readonly Observed<T>[]): Promise<void> {
    const present = new Set<string>();
    for (const [index, object] of objects.entries()) {
      present.add(keyOf(object));
      this.#target.set(object);
      if (index % TURN === TURN - 1) await nextTurn();
    }
    for (const key of [...this.#target.keys()]) {
      if (present.has(key)) continue;
      const slash = key.indexOf('/');
      const namespace = slash < 0 ? undefined : key.slice(0, slash);
      this.#target.delete({ metadata: { name: key.slice(slash + 1), namespace } });
    }
    this.#isSynced = true;
    this.#onChange();
  }
}
