import { type Client, hasReason } from '../../client/index.ts';
import type { KeyedData, ReferencedData } from './environment.ts';

/**
 * Reads ConfigMaps and Secrets from the server when a container that refers to them is made.
 *
 * Nodes keep no cache of them: most pods refer to none, and a cache would hold all that the cluster has. Containers that are
 * made at the same time share one request.
 */
export class ReferencedObjects implements ReferencedData {
  readonly #client: Client;
  readonly #underWay = new Map<string, Promise<KeyedData | undefined>>();

  constructor(client: Client) {
    this.#client = client;
  }

  configMap(namespace: string, name: string): Promise<KeyedData | undefined> {
    const { configmaps } = this.#client.core.v1;
    return this.#shared(`configmap ${namespace}/${name}`, () => configmaps.namespace(namespace).get(name));
  }

  secret(namespace: string, name: string): Promise<KeyedData | undefined> {
    const { secrets } = this.#client.core.v1;
    return this.#shared(`secret ${namespace}/${name}`, () => secrets.namespace(namespace).get(name));
  }

  #shared(key: string, get: () => Promise<{ readonly data?: KeyedData }>): Promise<KeyedData | undefined> {
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const made = dataOf(get).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, made);
    return made;
  }
}

async function dataOf(get: () => Promise<{ readonly data?: KeyedData }>): Promise<KeyedData | undefined> {
  try {
    return (await get()).data ?? {};
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
