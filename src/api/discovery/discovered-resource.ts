import type { GroupVersionKind, ResourceInfo } from '../schema/schema.ts';
import { storageVersionHash, storageVersionOf } from './storage-version.ts';

/** What discovery tells about a resource. */
export interface DiscoveredResource {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** In the order to be told. */
  readonly verbs: readonly string[];
  readonly subresources: readonly DiscoveredSubresource[];
  /** From `storageVersionHash`; absent when nothing is stored. */
  readonly storageVersionHash?: string;
  /** Served from a CustomResourceDefinition. */
  readonly isCustom: boolean;
}

export interface DiscoveredSubresource {
  readonly name: string;
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

/** The resources of the type tables, as discovery tells them. */
export function discoveredResources(resources: readonly ResourceInfo[]): DiscoveredResource[] {
  return resources.map((resource) => ({
    group: resource.group,
    version: resource.version,
    plural: resource.plural,
    singular: resource.singular,
    kind: resource.kind,
    namespaced: resource.namespaced,
    shortNames: resource.shortNames,
    categories: resource.categories,
    verbs: resource.verbs,
    isCustom: false,
    ...(resource.verbs.includes('update')
      ? { storageVersionHash: storageVersionHash(storageVersionOf(resource), resource.kind) }
      : {}),
    subresources: resource.subresources.map((subresource) => ({
      name: subresource.name,
      verbs: subresource.verbs,
      kind: subresource.type.kind ?? {
        group: resource.group,
        version: resource.version,
        kind: subresource.type.shortName,
      },
    })),
  }));
}
