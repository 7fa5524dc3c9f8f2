import { storageVersionHash } from '../../api/index.ts';
import type { DiscoveredResource, GroupVersionKind } from '../../api/index.ts';
import type { Resource, Subresource } from '../resource.ts';

/** A resource as discovery tells it. */
export function discoveredResource(resource: Resource): DiscoveredResource {
  const { group, version, plural, singular, kind, namespaced, shortNames, categories, verbs, storage } = resource;
  const storedIn = storage.announcedApiVersion ?? storage.apiVersion;
  return {
    group,
    version,
    plural,
    singular,
    kind,
    namespaced,
    shortNames,
    categories,
    verbs,
    isCustom: resource.capabilities.documents === 'custom',
    ...(verbs.includes('update') ? { storageVersionHash: storageVersionHash(storedIn, storage.kind) } : {}),
    subresources: [...resource.subresources].map(([name, subresource]) => ({
      name,
      verbs: subresource.verbs,
      kind: kindOf(subresource, resource),
    })),
  };
}

/** What is read and written at a subresource; options of connections are no kinds, and go by their type's name. */
function kindOf(subresource: Subresource, { group, version, kind }: Resource): GroupVersionKind {
  if (subresource.type === 'view') return { group, version, kind };
  const { struct } = subresource;
  return struct.kind ?? { group, version, kind: struct.shortName };
}
