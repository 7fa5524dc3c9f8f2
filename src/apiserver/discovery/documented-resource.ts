import { customSchemas } from '../../api/index.ts';
import type { DocumentedType, DocumentSources, ServedResource } from '../../api/index.ts';
import type { Resource } from '../resource.ts';

/** A resource as OpenAPI documents it. */
export function documentedResource(resource: Resource, sources: DocumentSources): ServedResource {
  const { group, version, plural, kind, namespaced, verbs, strategy } = resource;
  const { object, list } = typesOf(resource, sources);
  return {
    group,
    version,
    plural,
    kind,
    namespaced,
    verbs,
    type: object,
    ...(list === undefined ? {} : { listType: list }),
    isCustom: resource.capabilities.documents === 'custom',
    deleteReturnsObject: strategy.returnsDeletedObject === true,
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
  const { group, version, kind, listKind = `${kind}List`, type, selectableFields, openApi } = resource;
  if (resource.capabilities.documents === 'built-in') return { object: type, list: resource.listType };
  const custom = { kind: { group, version, kind }, listKind, type, selectableFields };
  return customSchemas(openApi === undefined ? custom : { ...custom, openApi }, sources);
}
