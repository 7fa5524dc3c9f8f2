import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  Index,
  KubernetesObject,
  Observed,
  Patch,
  Sendable,
  Stored,
  WriteOptions,
} from '../../client/index.ts';
import type { CacheQuery, Objects } from '../objects.ts';
import type { WorkContext } from '../work/keyed-workers.ts';

type RunScope = Pick<WorkContext, 'signal' | 'countWrite'>;

/** Objects as one run of a reconciler sees them: its writes are counted, and end with its signal. */
export class RunObjects<T extends KubernetesObject> implements Objects<T> {
  readonly #objects: Objects<T>;
  readonly #run: RunScope;

  constructor(objects: Objects<T>, run: RunScope) {
    this.#objects = objects;
    this.#run = run;
  }

  get(key: string): Observed<T> | undefined {
    return this.#objects.get(key);
  }

  list(query?: CacheQuery): Observed<T>[] {
    return this.#objects.list(query);
  }

  byIndex(index: Index<T>, value: string): Observed<T>[] {
    return this.#objects.byIndex(index, value);
  }

  fetch(key: string, options?: CallOptions): Promise<Stored<T> | undefined> {
    return this.#objects.fetch(key, { signal: this.#run.signal, ...options });
  }

  create(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>> {
    return this.#objects.create(object, this.#write(options));
  }

  update(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>> {
    return this.#objects.update(object, this.#write(options));
  }

  updateStatus(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>> {
    return this.#objects.updateStatus(object, this.#write(options));
  }

  patch(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>> {
    return this.#objects.patch(key, patch, this.#write(options));
  }

  patchStatus(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>> {
    return this.#objects.patchStatus(key, patch, this.#write(options));
  }

  apply(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>> {
    return this.#objects.apply(object, this.#write(options));
  }

  applyStatus(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>> {
    return this.#objects.applyStatus(object, this.#write(options));
  }

  delete(key: string, options?: DeleteOptions): Promise<boolean> {
    return this.#objects.delete(key, this.#write(options));
  }

  #write<O extends CallOptions>(options: O | undefined): O {
    this.#run.countWrite();
    return { signal: this.#run.signal, ...options } as O;
  }
}
