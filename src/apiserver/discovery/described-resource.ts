import { customSchemas, storageVersionHash } from '../../api/index.ts';
import type { DiscoveredResource, DocumentedType, DocumentSources } from '../../api/index.ts';
import type { GroupVersionKind, ServedResource } from '../../api/index.ts';
import type { Resource, Subresource } from '../resource.ts';

/** A resource for discovery documents. */
export function discoveredResource(resource: Resource): DiscoveredResource {
  const { verbs, storage, capabilities, subresources } = resource;
  const storedIn = storage.announcedApiVersion ?? storage.apiVersion;
  return {
    ...resource,
    isCustom: capabilities.documents === 'custom',
    ...(verbs.includes('update') ? { storageVersionHash: storageVersionHash(storedIn, storage.kind) } : {}),
    subresources: [...subresources].map(([name, subresource]) => ({
      name,
      verbs: subresource.verbs,
      kind: kindOf(subresource, resource),
    })),
  };
}

/** The kind that is read and written at a subresource; options of connections are not kinds, and are named after their type. */
function kindOf(subresource: Subresource, { group, version, kind }: Resource): GroupVersionKind {
  if (subresource.type === 'view') return { group, version, kind };
  const { struct } = subresource;
  return struct.kind ?? { group, version, kind: struct.shortName };
}

/** A resource for OpenAPI documents. */
export function documentedResource(resource: Resource, sources: DocumentSources): ServedResource {
  const { object, list } = typesOf(resource, sources);
  return {
    ...resource,
    type: object,
    ...(list === undefined ? {} : { listType: list }),
    isCustom: resource.capabilities.documents === 'custom',
    deleteReturnsObject: resource.strategy.returnsDeletedObject === true,
    subresources: [...resource.subresources].map(([name, subresource]) => ({
      name,
      verbs: subresource.verbs,
      type: subresource.type === 'view' ? object : subresource.struct,
      style: subresource.type === 'connection' ? subresource.style : { kind: 'object' },
    })),
  };
}

function typesOf(
  resource: Resource,
  sources: DocumentSources,
): { readonly object: DocumentedType; readonly list: DocumentedType | undefined } {
  const { group, version, kind, listKind = `${kind}List`, type, listType, capabilities } = resource;
  if (capabilities.documents === 'built-in') return { object: type, list: listType };
  return customSchemas({ ...resource, kind: { group, version, kind }, listKind }, sources);
}
