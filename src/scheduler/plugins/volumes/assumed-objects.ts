import { type Index, keyOf, type KubernetesObject, type Observed } from '../../../client/index.ts';
import type { Lister } from '../../framework/plugin-context.ts';

/** Objects overlaid with decisions that are not written yet. A decision expires when its object changes. */
export class AssumedObjects<T extends KubernetesObject> {
  /** The objects as stored by the API server. */
  readonly actual: Lister<T>;
  readonly #assumed = new Map<string, Observed<T>>();

  constructor(actual: Lister<T>) {
    this.actual = actual;
  }

  get(key: string): Observed<T> | undefined {
    const actual = this.actual.get(key);
    return actual === undefined ? undefined : this.#asAssumed(actual);
  }

  byIndex(index: Index<T>, value: string): Observed<T>[] {
    const found = this.actual.byIndex(index, value);
    return this.#assumed.size === 0 ? found : found.map((each) => this.#asAssumed(each));
  }

  /** Overlays the object; it must be based on the stored version. */
  assume(object: Observed<T>): void {
    const key = keyOf(object);
    const stored = this.actual.get(key)?.metadata.resourceVersion;
    const { resourceVersion } = object.metadata;
    if (stored !== resourceVersion)
      throw new Error(`${JSON.stringify(key)} is out of sync (stored: ${stored}, assume: ${resourceVersion})`);
    this.#assumed.set(key, object);
  }

  /** Removes the overlay. */
  restore(object: Observed<T>): void {
    const key = keyOf(object);
    if (this.#assumed.get(key)?.metadata.resourceVersion === object.metadata.resourceVersion) this.#assumed.delete(key);
  }

  /** Removes the overlay of an object that was changed or deleted. */
  expire(object: Observed<T>): void {
    const key = keyOf(object);
    const assumed = this.#assumed.get(key);
    if (assumed === undefined) return;
    if (this.actual.get(key)?.metadata.resourceVersion !== assumed.metadata.resourceVersion) this.#assumed.delete(key);
  }

  #asAssumed(actual: Observed<T>): Observed<T> {
    const assumed = this.#assumed.get(keyOf(actual));
    return assumed?.metadata.resourceVersion === actual.metadata.resourceVersion ? assumed : actual;
  }
}
