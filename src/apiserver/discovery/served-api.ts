import { comparePreference, customPriority } from '../../api/index.ts';
import type { GroupVersion, Priority, ServedGroup } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import type { ResourceRegistry } from '../resource-registry.ts';

/** A group and version with the resources that are served in it. */
export interface ServedVersion extends GroupVersion {
  readonly priority: Priority;
  readonly resources: readonly Resource[];
}

/**
 * What is served now, by group. A group stays the same object for as long as nothing in it changes, and the list of all
 * for as long as nothing changes at all: what is made of them can be kept by their identity.
 */
export class ServedApi {
  readonly #registry: ResourceRegistry;
  readonly #known = new Map<string, ServedGroup<ServedVersion>>();
  #groups: readonly ServedGroup<ServedVersion>[] | undefined;

  constructor(registry: ResourceRegistry) {
    this.#registry = registry;
    registry.onChange((changed) => {
      for (const { group } of changed) this.#known.delete(group);
      this.#groups = undefined;
    });
  }

  groups(): readonly ServedGroup<ServedVersion>[] {
    return (this.#groups ??= this.#registry.groupNames().flatMap((name) => this.group(name) ?? []));
  }

  /** Undefined when nothing of the group is served. */
  group(name: string): ServedGroup<ServedVersion> | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const group = collect(name, this.#registry.resourcesOf(name));
    if (group !== undefined) this.#known.set(name, group);
    return group;
  }

  version(group: string, version: string): ServedVersion | undefined {
    return this.group(group)?.versions.find((served) => served.version === version);
  }
}

function collect(name: string, resources: readonly Resource[]): ServedGroup<ServedVersion> | undefined {
  const members = new Map<string, Resource[]>();
  for (const resource of resources) {
    const known = members.get(resource.version);
    if (known === undefined) members.set(resource.version, [resource]);
    else known.push(resource);
  }
  const [first, ...others] = [...members]
    .map(([version, served]): ServedVersion => {
      const priority = served.find((resource) => resource.priority !== undefined)?.priority ?? customPriority;
      return { group: name, version, priority, resources: served };
    })
    .sort(comparePreference);
  return first === undefined ? undefined : { name, versions: [first, ...others] };
}
