import type { APIResource, APIResourceList } from '../../api/types/meta/v1.d.ts';
import type { ServedKind } from './served-apis.ts';

/** The resources of one group and version, as servers before aggregated discovery tell them. */
export function readResourceList({ groupVersion, resources }: APIResourceList): ServedKind[] {
  return resources
    .filter(({ name }) => !name.includes('/'))
    .map((resource) => servedKind(groupVersion, resource, subresourcesOf(resource.name, resources)));
}

function servedKind(groupVersion: string, resource: APIResource, subresources: readonly string[]): ServedKind {
  const slash = groupVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : groupVersion.slice(0, slash),
    version: groupVersion.slice(slash + 1),
    apiVersion: groupVersion,
    kind: resource.kind,
    plural: resource.name,
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singular: resource.singularName,
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs,
    subresources,
  };
}

function subresourcesOf(plural: string, resources: readonly APIResource[]): readonly string[] {
  const prefix = `${plural}/`;
  return resources.filter(({ name }) => name.startsWith(prefix)).map(({ name }) => name.slice(prefix.length));
}
