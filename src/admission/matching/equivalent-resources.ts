import type { Resource, ResourceRegistry } from '../../apiserver/index.ts';

type Registry = Pick<ResourceRegistry, 'groupNames' | 'resourcesOf' | 'onChange'>;

/** Other versions and groups that serve the same stored objects, such as events of the core group and of `events.k8s.io`. */
export class EquivalentResources {
  readonly #registry: Registry;
  #byPrefix: ReadonlyMap<string, readonly Resource[]> | undefined;
  #isListening = false;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** Without the resource itself, in the order of registration; with a subresource, only those that also have it. */
  of(resource: Resource, subresource: string): readonly Resource[] {
    const sharing = (this.#byPrefix ??= this.#collect()).get(resource.storage.prefix) ?? [];
    return sharing.filter((other) => other !== resource && (subresource === '' || other.subresources.has(subresource)));
  }

  #collect(): ReadonlyMap<string, readonly Resource[]> {
    const registry = this.#registry;
    if (!this.#isListening) {
      this.#isListening = true;
      registry.onChange(() => (this.#byPrefix = undefined));
    }
    const byPrefix = new Map<string, Resource[]>();
    for (const resource of registry.groupNames().flatMap((group) => registry.resourcesOf(group))) {
      if (resource.computed !== undefined) continue;
      const sharing = byPrefix.get(resource.storage.prefix);
      if (sharing === undefined) byPrefix.set(resource.storage.prefix, [resource]);
      else sharing.push(resource);
    }
    return byPrefix;
  }
}
