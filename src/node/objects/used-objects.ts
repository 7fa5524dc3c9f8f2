import type { Observed, Pod } from '../../client/index.ts';
import { type ObjectReference, referencesOf } from './pod-objects.ts';

/** An object that is kept for as long as a pod uses it. */
interface Used<T> {
  readonly value: T;
  /** The uids of its pods. */
  readonly pods: Set<string>;
}

export interface UsedObjectsParts<T> {
  /** Called for the first pod that uses an object; undefined when there are too many already. */
  open(reference: ObjectReference, key: string): T | undefined;
  /** Called when no pod uses it any more. */
  close(value: T): void;
}

/** Which pods use which objects. */
export class UsedObjects<T> {
  readonly #parts: UsedObjectsParts<T>;
  readonly #objects = new Map<string, Used<T>>();
  readonly #pods = new Map<string, { readonly generation: number; readonly keys: readonly string[] }>();

  constructor(parts: UsedObjectsParts<T>) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#objects.size;
  }

  values(): readonly T[] {
    return [...this.#objects.values()].map(({ value }) => value);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key)?.value;
  }

  /** The uids of the pods that use an object. */
  podsOf(key: string): readonly string[] {
    return [...(this.#objects.get(key)?.pods ?? [])];
  }

  /** Returns the objects that the pod begins to use. It refers to others than before only when its generation has changed. */
  use(pod: Observed<Pod>): readonly string[] {
    const { uid, generation = 0 } = pod.metadata;
    const before = this.#pods.get(uid);
    if (before?.generation === generation) return [];
    const references = referencesOf(pod);
    this.#pods.set(uid, { generation, keys: [...references.keys()] });
    for (const [key, reference] of references) this.#add(key, reference, uid);
    for (const key of before?.keys ?? []) if (!references.has(key)) this.#remove(key, uid);
    return [...references.keys()].filter((key) => before?.keys.includes(key) !== true);
  }

  release(podUid: string): void {
    const known = this.#pods.get(podUid);
    this.#pods.delete(podUid);
    for (const key of known?.keys ?? []) this.#remove(key, podUid);
  }

  #add(key: string, reference: ObjectReference, podUid: string): void {
    const known = this.#objects.get(key);
    if (known !== undefined) {
      known.pods.add(podUid);
      return;
    }
    const value = this.#parts.open(reference, key);
    if (value !== undefined) this.#objects.set(key, { value, pods: new Set([podUid]) });
  }

  #remove(key: string, podUid: string): void {
    const known = this.#objects.get(key);
    known?.pods.delete(podUid);
    if (known === undefined || known.pods.size > 0) return;
    this.#objects.delete(key);
    this.#parts.close(known.value);
  }
}
