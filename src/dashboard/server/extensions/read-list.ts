import type { AskedMap } from './asked-map.ts';

/** The objects at a path, as many as one page may have; empty where the kind is not served. */
export async function readItems<T>({ client, signal }: AskedMap, path: string): Promise<readonly T[]> {
  const query = { limit: '500' };
  const { items } = (await client.request({ method: 'GET', path, query, signal })) as { readonly items?: readonly T[] };
  return items ?? [];
}
