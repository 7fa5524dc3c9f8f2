import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  Index,
  KubernetesObject,
  Observed,
  Patch,
  Sendable,
  Tally,
  WriteOptions,
} from '../../client/index.ts';
import type { CacheQuery, Objects } from '../objects.ts';
import type { WorkContext } from '../work/keyed-workers.ts';

type RunScope = Pick<WorkContext, 'signal' | 'countWrite'>;

/** Tracks a started call. */
type Keep = <A>(verb: string, work: Promise<A>) => Promise<A>;

/** The objects as one run sees them: its writes are counted, and abort with its signal. */
export class RunObjects<T extends KubernetesObject> implements Objects<T> {
  readonly #objects: Objects<T>;
  readonly #run: RunScope;
  readonly #keep: Keep;

  constructor(objects: Objects<T>, run: RunScope, keep: Keep = (_, work) => work) {
    this.#objects = objects;
    this.#run = run;
    this.#keep = keep;
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

  counts(tally: Tally<T>, value: string): ReadonlyMap<string, number> {
    return this.#objects.counts(tally, value);
  }

  fetch(key: string, options?: CallOptions): Promise<Observed<T> | undefined> {
    return this.#keep('fetch', this.#objects.fetch(key, { signal: this.#run.signal, ...options }));
  }

  create(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>> {
    return this.#keep('create', this.#objects.create(object, this.#write(options)));
  }

  update(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>> {
    return this.#keep('update', this.#objects.update(object, this.#write(options)));
  }

  updateStatus(object: Sendable<T>, options?: WriteOptions): Promise<Observed<T>> {
    return this.#keep('updateStatus', this.#objects.updateStatus(object, this.#write(options)));
  }

  patch(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>> {
    return this.#keep('patch', this.#objects.patch(key, patch, this.#write(options)));
  }

  patchStatus(key: string, patch: Patch, options?: WriteOptions): Promise<Observed<T>> {
    return this.#keep('patchStatus', this.#objects.patchStatus(key, patch, this.#write(options)));
  }

  apply(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>> {
    return this.#keep('apply', this.#objects.apply(object, this.#write(options)));
  }

  applyStatus(object: Sendable<T>, options?: Partial<ApplyOptions>): Promise<Observed<T>> {
    return this.#keep('applyStatus', this.#objects.applyStatus(object, this.#write(options)));
  }

  delete(key: string, options?: DeleteOptions): Promise<boolean> {
    return this.#keep('delete', this.#objects.delete(key, this.#write(options)));
  }

  #write<O extends CallOptions>(options: O | undefined): O {
    this.#run.countWrite();
    return { signal: this.#run.signal, ...options } as O;
  }
}
