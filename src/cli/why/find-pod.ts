import { type Client, hasReason, type Pod, type Stored } from '../../client/index.ts';

export interface PodSearch {
  readonly name: string;
  readonly namespace: string;
  /** True if other namespaces are searched as well. */
  readonly isAnywhere: boolean;
  readonly signal: AbortSignal;
}

const MAX_LISTED = 10;

/** The pod of that name; else the only one of that name in other namespaces; else the only one whose name begins so. */
export async function findPod(client: Client, search: PodSearch): Promise<Stored<Pod>> {
  const { name, namespace, isAnywhere, signal } = search;
  const here = client.core.v1.pods.namespace(namespace);
  try {
    return await here.get(name, { signal });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    const where = isAnywhere ? client.core.v1.pods : here;
    const { items } = await where.metadata().list({ signal });
    const keys = items.map(({ metadata }) => ({ name: metadata.name, namespace: metadata.namespace ?? '' }));
    const named = keys.filter((key) => key.name === name);
    const close = named.length > 0 ? named : keys.filter((key) => key.name.startsWith(name));
    const near = close.filter((key) => key.namespace === namespace);
    const [only, ...others] = near.length > 0 ? near : close;
    if (only === undefined) throw error;
    if (others.length > 0)
      throw new Error(`Cannot choose a pod: ${list([only, ...others])} could be meant`, { cause: error });
    return client.core.v1.pods.namespace(only.namespace).get(only.name, { signal });
  }
}

function list(keys: readonly { readonly namespace: string; readonly name: string }[]): string {
  const names = keys.map(({ namespace, name }) => `${namespace}/${name}`);
  return names.length > MAX_LISTED ? `${names.slice(0, MAX_LISTED).join(', ')} …` : names.join(', ');
}
