import type { Client } from 'keelson/client';
import { addressesIn, POOL, StoragePool } from './operator.ts';
import { Pool } from './pool.ts';

/** The pools of a namespace, with the stores that run at the moment of each call. */
export function poolsOf(client: Client, namespace: string): (name: string) => Pool {
  return (name) =>
    new Pool(async () => {
      const { spec } = await client.kind(StoragePool).namespace(namespace).get(name);
      const pods = await client.core.v1.pods.namespace(namespace).list({ labelSelector: `${POOL}=${name}` });
      return { size: spec.stores, addresses: addressesIn(pods.items) };
    });
}
