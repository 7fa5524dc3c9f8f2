import { type ApiServer, Listeners, type ObjectsOf } from '../apiserver/index.ts';
import { API_SERVICES, type RemoteService, remoteService, type StoredApiService } from './registered-service.ts';

/** The APIServices known to this process. */
export class RegisteredServices implements Disposable {
  readonly #objects: ObjectsOf<StoredApiService>;
  readonly #all = new Map<string, StoredApiService>();
  readonly #remotes = new Map<string, RemoteService>();
  readonly #listeners = new Listeners<string>();
  #subscription: Disposable | undefined;

  constructor({ objects }: Pick<ApiServer, 'objects'>) {
    this.#objects = objects.of<StoredApiService>(API_SERVICES.group, API_SERVICES.plural);
  }

  /** Starts following the objects; those in an in-process store are known when this returns. */
  start(): void {
    this.#subscription = this.#objects.onChange(({ current, previous }) => {
      if (current !== undefined) this.#take(current);
      else if (previous !== undefined) this.#forget(previous.metadata.name);
    });
  }

  /** Resolves when every APIService that is stored now is known. */
  async caughtUp(): Promise<void> {
    for (const object of await this.#objects.newestList()) if (!this.#all.has(object.metadata.name)) this.#take(object);
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }

  get(name: string): StoredApiService | undefined {
    return this.#all.get(name);
  }

  all(): Iterable<StoredApiService> {
    return this.#all.values();
  }

  /** The remote ones, by name. */
  get remotes(): ReadonlyMap<string, RemoteService> {
    return this.#remotes;
  }

  /** Calls the listener with the name of every APIService that comes, changes or goes. */
  onChange(listener: (name: string) => void): Disposable {
    return this.#listeners.add(listener);
  }

  #take(object: StoredApiService): void {
    const { name } = object.metadata;
    const remote = remoteService(object);
    this.#all.set(name, object);
    if (remote === undefined) this.#remotes.delete(name);
    else this.#remotes.set(name, remote);
    this.#listeners.notify(name);
  }

  #forget(name: string): void {
    this.#all.delete(name);
    this.#remotes.delete(name);
    this.#listeners.notify(name);
  }
}
