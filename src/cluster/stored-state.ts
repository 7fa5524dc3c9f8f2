import { Buffer } from 'node:buffer';
import type { ApiServer } from '../apiserver/index.ts';
import type { OwnerReference } from '../api/types/meta/v1.d.ts';
import type { Kind, KubernetesObject } from '../client/index.ts';
import type { ClusterState, ObjectChange } from '../kit/index.ts';
import { type InProcessStore, prefixRange, type StoreEvent } from '../store/index.ts';

/** What a store of this process holds, for parts that have no caches. */
export class StoredState implements ClusterState {
  readonly #store: InProcessStore;
  readonly #server: ApiServer;

  constructor(store: InProcessStore, server: ApiServer) {
    this.#store = store;
    this.#server = server;
  }

  readonly hasAny = ({ group, plural }: Kind): boolean => {
    const { prefix } = this.#server.objects.of(group, plural);
    return prefix !== undefined && this.#store.rangeNow(prefixRange(prefix), { limit: 1 }).entries.length > 0;
  };

  readonly has = ({ apiVersion, kind, name, uid }: OwnerReference, namespace: string): boolean => {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    const resource = this.#server.registry.resourcesOf(group).find((each) => each.kind === kind);
    if (resource === undefined) return false;
    const owners = this.#server.objects.of(group, resource.plural);
    return owners.getNow(resource.namespaced ? namespace : '', name)?.metadata.uid === uid;
  };
}

/** What a write changed, in the stored version; undefined where it is stored in cipher. */
export function objectChange(event: StoreEvent): ObjectChange | undefined {
  try {
    const after = event.type === 'put' ? objectOf(event.entry.value) : undefined;
    return { before: event.previous === undefined ? undefined : objectOf(event.previous.value), after };
  } catch {
    return undefined; // nothing but JSON is written in plain
  }
}

function objectOf(value: Uint8Array): KubernetesObject {
  return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as KubernetesObject;
}
