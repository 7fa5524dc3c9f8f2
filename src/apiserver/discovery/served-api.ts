import { builtInPriority, customPriority, discoveredResources } from '../../api/index.ts';
import type { DiscoveredResource, GroupVersion, Priority, ResourceInfo, TypeTable } from '../../api/index.ts';
import type { ResourceRegistry } from '../resource-registry.ts';

/** A group and version with the resources that are served in it. */
export interface ServedVersion extends GroupVersion {
  readonly priority: Priority;
  readonly resources: readonly DiscoveredResource[];
  readonly infos: readonly ResourceInfo[];
}

/** What is served now, sorted by group and version; worked out again only when the resources change. */
export class ServedApi {
  readonly #registry: ResourceRegistry;
  readonly #types: TypeTable;
  #known: { readonly generation: number; readonly versions: readonly ServedVersion[] } | undefined;

  constructor(registry: ResourceRegistry, types: TypeTable) {
    this.#registry = registry;
    this.#types = types;
  }

  get types(): TypeTable {
    return this.#types;
  }

  get generation(): number {
    return this.#registry.generation;
  }

  versions(): readonly ServedVersion[] {
    const { generation } = this.#registry;
    if (this.#known?.generation !== generation) this.#known = { generation, versions: this.#collect() };
    return this.#known.versions;
  }

  version(group: string, version: string): ServedVersion | undefined {
    return this.versions().find((served) => served.group === group && served.version === version);
  }

  #collect(): ServedVersion[] {
    const served = new Set(this.#registry.resources().map(nameOf));
    const byVersion = new Map<string, ResourceInfo[]>();
    for (const info of this.#types.resources()) {
      if (!served.has(nameOf(info))) continue;
      const key = `${info.group}/${info.version}`;
      byVersion.set(key, [...(byVersion.get(key) ?? []), info]);
    }
    return [...byVersion.values()].map((infos) => {
      const [{ group, version } = { group: '', version: '' }] = infos;
      const priority = builtInPriority({ group, version }) ?? customPriority;
      return { group, version, priority, infos, resources: discoveredResources(infos) };
    });
  }
}

function nameOf({
  group,
  version,
  plural,
}: {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}): string {
  return `${group}/${version}/${plural}`;
}
