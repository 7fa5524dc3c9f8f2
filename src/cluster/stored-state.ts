import { Buffer } from 'node:buffer';
import type { ApiServer, ServerObjects } from '../apiserver/index.ts';
import type { OwnerReference } from '../api/types/meta/v1.d.ts';
import type { Kind, KubernetesObject } from '../client/index.ts';
import type { ClusterState, ObjectChange } from '../kit/index.ts';
import { type Entry, type InProcessStore, prefixRange, type StoreEvent } from '../store/index.ts';

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

/** A write that a part is asked about; its sides are looked at when they are asked for. */
export class StoredChange implements ObjectChange {
  readonly #event: StoreEvent;
  readonly #objects: ServerObjects;

  constructor(event: StoreEvent, objects: ServerObjects) {
    this.#event = event;
    this.#objects = objects;
  }

  get before(): KubernetesObject | undefined {
    const { previous } = this.#event;
    return previous === undefined ? undefined : this.#objectOf(previous);
  }

  get after(): KubernetesObject | undefined {
    return this.#event.type === 'put' ? this.#objectOf(this.#event.entry) : undefined;
  }

  #objectOf(entry: Entry): KubernetesObject {
    const { value } = entry;
    return (this.#objects.known(entry) ??
      JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString())) as KubernetesObject;
  }
}
