import type { Endpoint, Services } from './endpoint.ts';
import type { ServerObjects } from './objects/server-objects.ts';
import type { Resource } from './resource.ts';

/** The resources that are served now. Custom resources come and go while the server runs. */
export class ResourceRegistry {
  readonly #objects: ServerObjects;
  readonly #services: Services;
  readonly #endpoints = new Map<string, Endpoint>();
  #generation = 0;

  constructor(objects: ServerObjects, services: Services) {
    this.#objects = objects;
    this.#services = services;
  }

  /** Grows whenever the set of resources changes; what is derived from the set is cached under it. */
  get generation(): number {
    return this.#generation;
  }

  add(resource: Resource): void {
    this.#endpoints.set(keyOf(resource.group, resource.version, resource.plural), {
      resource,
      objects: this.#objects.register(resource),
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
}

function keyOf(group: string, version: string, plural: string): string {
  return `${group}/${version}/${plural}`;
}
