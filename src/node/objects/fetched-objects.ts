import type { Client } from '../../client/index.ts';
import { fetchObject, type ObjectReference, type PodObject, type PodObjects, referenceKey } from './pod-objects.ts';

/**
 * Reads objects from the server whenever they are needed (`Get`). Nothing is kept: most pods of simulated nodes refer to nothing, and
 * a cache would hold all that the cluster has. Requests that are made at the same time are shared.
 */
export class FetchedObjects implements PodObjects {
  readonly #client: Client;
  readonly #underWay = new Map<string, Promise<PodObject | undefined>>();

  constructor(client: Client) {
    this.#client = client;
  }

  get(reference: ObjectReference): Promise<PodObject | undefined> {
    const key = referenceKey(reference);
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const made = fetchObject(this.#client, reference).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, made);
    return made;
  }

  use(): void {
    // nothing is kept
  }

  release(): void {
    // nothing is kept
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // nothing is open
  }
}
