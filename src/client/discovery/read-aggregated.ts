import type { APIGroupDiscoveryList, APIResourceDiscovery } from '../../api/types/apidiscovery/v2.d.ts';
import type { ServedKind } from './served-kind.ts';

/** All groups in one answer (KEP-3352), or, from servers that do not know it, something else. */
export const ACCEPT_AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

export function isAggregated(value: unknown): value is APIGroupDiscoveryList {
  return (value as { readonly kind?: unknown } | null)?.kind === 'APIGroupDiscoveryList';
}

/** The resources of an aggregated answer, in the server's order of preference. */
export function readAggregated(list: APIGroupDiscoveryList): ServedKind[] {
  return (list.items ?? []).flatMap((group) =>
    (group.versions ?? []).flatMap(({ version = '', resources = [] }) =>
      resources.map((resource) => servedKind(group.metadata?.name ?? '', version, resource)),
    ),
  );
}

function servedKind(group: string, version: string, resource: APIResourceDiscovery): ServedKind {
  return {
    group,
    version,
    apiVersion: group === '' ? version : `${group}/${version}`,
    kind: resource.responseKind?.kind ?? '',
    plural: resource.resource ?? '',
    scope: resource.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singular: resource.singularResource ?? '',
    shortNames: resource.shortNames ?? [],
    categories: resource.categories ?? [],
    verbs: resource.verbs ?? [],
    subresources: (resource.subresources ?? []).map(({ subresource = '' }) => subresource),
  };
}
