import type { Store } from '../store/index.ts';
import type { Endpoint, Services } from './endpoint.ts';
import type { Resource } from './resource.ts';
import { ObjectStore, type SharedObjects } from './storage/object-store.ts';
import type { StorageCodec } from './storage/storage-codec.ts';

/** How objects look in the store, and what has been made of them. */
export interface StoredForm {
  readonly codecFor: (resource: Resource) => StorageCodec;
  readonly shared?: SharedObjects;
}

/** The resources that are served now. Custom resources come and go while the server runs. */
export class ResourceRegistry {
  readonly #store: Store;
  readonly #services: Services;
  readonly #stored: StoredForm;
  readonly #endpoints = new Map<string, Endpoint>();
  /** Versions of one resource share their objects. */
  readonly #objects = new Map<string, ObjectStore>();
  #generation = 0;

  constructor(store: Store, services: Services, stored: StoredForm) {
    this.#store = store;
    this.#services = services;
    this.#stored = stored;
  }

  /** Grows whenever the set of resources changes; what is derived from the set is cached under it. */
  get generation(): number {
    return this.#generation;
  }

  add(resource: Resource): void {
    this.#endpoints.set(keyOf(resource.group, resource.version, resource.plural), {
      resource,
      objects: this.#objectsOf(resource),
      services: this.#services,
    });
    this.#generation += 1;
  }

  remove(resource: Resource): void {
    if (this.#endpoints.delete(keyOf(resource.group, resource.version, resource.plural))) this.#generation += 1;
  }

  find(group: string, version: string, plural: string): Endpoint | undefined {
    return this.#endpoints.get(keyOf(group, version, plural));
  }

  hasGroup(group: string): boolean {
    for (const { resource } of this.#endpoints.values()) if (resource.group === group) return true;
    return false;
  }

  resources(): Resource[] {
    return [...this.#endpoints.values()].map(({ resource }) => resource);
  }

  #objectsOf(resource: Resource): ObjectStore {
    const { prefix } = resource.storage;
    const known = this.#objects.get(prefix);
    if (known !== undefined) return known;
    const objects = new ObjectStore(this.#store, this.#stored.codecFor(resource), this.#stored.shared);
    this.#objects.set(prefix, objects);
    return objects;
  }
}

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
