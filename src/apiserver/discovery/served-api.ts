import { comparePreference, customPriority } from '../../api/index.ts';
import type { GroupVersion, Priority, ServedGroup } from '../../api/index.ts';
import type { Resource } from '../resource.ts';
import { type ForeignApi, type ForeignVersion, nothingForeign } from './foreign-api.ts';
import type { ResourceRegistry } from '../resource-registry.ts';

/** A group and version with its resources: of this server, or of another one. */
export interface ServedVersion extends GroupVersion {
  readonly priority: Priority;
  /** This server's resources; empty when another server serves the version. */
  readonly resources: readonly Resource[];
  readonly foreign?: ForeignVersion;
}

/**
 * What is currently served, by group. A group stays the same object until something in it changes, and so does the list of all groups:
 * results that are derived from them can be cached by identity.
 */
export class ServedApi {
  readonly #registry: ResourceRegistry;
  readonly #foreign: ForeignApi;
  readonly #known = new Map<string, ServedGroup<ServedVersion>>();
  #groups: readonly ServedGroup<ServedVersion>[] | undefined;

  constructor(registry: ResourceRegistry, foreign: ForeignApi = nothingForeign) {
    this.#registry = registry;
    this.#foreign = foreign;
    registry.onChange((changed) => this.#forget(changed.map(({ group }) => group)));
    foreign.onChange((groups) => this.#forget(groups));
  }

  groups(): readonly ServedGroup<ServedVersion>[] {
    if (this.#groups === undefined) {
      const names = new Set([...this.#registry.groupNames(), ...this.#foreign.groupNames()]);
      this.#groups = [...names].flatMap((name) => this.group(name) ?? []);
    }
    return this.#groups;
  }

  /** Undefined when nothing in the group is served. */
  group(name: string): ServedGroup<ServedVersion> | undefined {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const group = collect(name, this.#registry.resourcesOf(name), this.#foreign);
    if (group !== undefined) this.#known.set(name, group);
    return group;
  }

  version(group: string, version: string): ServedVersion | undefined {
    return this.group(group)?.versions.find((served) => served.version === version);
  }

  #forget(groups: readonly string[]): void {
    for (const group of groups) this.#known.delete(group);
    this.#groups = undefined;
  }
}

function collect(
  name: string,
  resources: readonly Resource[],
  foreignApi: ForeignApi,
): ServedGroup<ServedVersion> | undefined {
  const foreign = foreignApi.versionsOf(name);
  const members = new Map<string, Resource[]>();
  for (const resource of resources) {
    if (resource.isListed?.() === false) continue;
    const known = members.get(resource.version);
    if (known === undefined) members.set(resource.version, [resource]);
    else known.push(resource);
  }
  for (const { version } of foreign) members.delete(version);
  const own = [...members].map(([version, served]): ServedVersion => {
    const stated = served.find((resource) => resource.priority !== undefined)?.priority ?? customPriority;
    const priority = foreignApi.localPriority?.({ group: name, version }) ?? stated;
    return { group: name, version, priority, resources: served };
  });
  const others = foreign.map((version): ServedVersion => ({ ...version, resources: [], foreign: version }));
  const [first, ...rest] = [...own, ...others].sort(comparePreference);
  return first === undefined ? undefined : { name, versions: [first, ...rest] };
}
