import type { RegisteredResource } from '../endpoint.ts';
import type { ResourceRegistry } from '../resource-registry.ts';

/** The kind and name of a key in the store. */
export interface StoredPlace {
  readonly kind: RegisteredResource;
  /** Empty for objects without a namespace. */
  readonly namespace: string;
  readonly name: string;
}

/** The kinds that are served now, by the prefix of their keys. */
export class StoredKinds {
  readonly #byPrefix = new Map<string, RegisteredResource>();

  constructor(registry: ResourceRegistry) {
    for (const group of registry.groupNames())
      for (const { version, plural } of registry.resourcesOf(group)) {
        const found = registry.find(group, version, plural);
        if (found === undefined || found.resource.computed !== undefined) continue;
        const { prefix, apiVersion } = found.resource.storage;
        const isStoredVersion = apiVersion === (group === '' ? version : `${group}/${version}`);
        if (isStoredVersion || !this.#byPrefix.has(prefix)) this.#byPrefix.set(prefix, found);
      }
  }

  /** The kind of a resource, such as `deployments.apps`; undefined when it is not served. */
  named(name: string): RegisteredResource | undefined {
    return [...this.#byPrefix.values()].find(({ resource }) => resourceName(resource) === name);
  }

  /** Undefined for keys of no kind. */
  placeOf(key: string): StoredPlace | undefined {
    for (let end = key.lastIndexOf('/'); end >= 0; end = key.lastIndexOf('/', end - 1)) {
      const kind = this.#byPrefix.get(key.slice(0, end + 1));
      if (kind === undefined) continue;
      const rest = key.slice(end + 1);
      const slash = rest.indexOf('/');
      return slash < 0
        ? { kind, namespace: '', name: rest }
        : { kind, namespace: rest.slice(0, slash), name: rest.slice(slash + 1) };
    }
    return undefined;
  }
}

/** `pods`, `deployments.apps`. */
export function resourceName({ group, plural }: { readonly group: string; readonly plural: string }): string {
  return group === '' ? plural : `${plural}.${group}`;
}
