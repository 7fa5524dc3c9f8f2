import type { APIGroupDiscoveryList, APIResourceDiscovery } from '../../api/types/apidiscovery/v2.d.ts';
import type { ServedKind, Survey } from './served-kind.ts';

/** All groups in one answer (KEP-3352), or, from servers that do not know it, something else. */
export const ACCEPT_AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

export function isAggregated(value: unknown): value is APIGroupDiscoveryList {
  return (value as { readonly kind?: unknown } | null)?.kind === 'APIGroupDiscoveryList';
}

/** The resources of an aggregated answer, in the server's order of preference. What is marked as stale is not known now. */
export function readAggregated(list: APIGroupDiscoveryList): Survey {
  const failures = new Map<string, string>();
  const kinds: ServedKind[] = [];
  for (const { metadata, versions = [] } of list.items ?? []) {
    const group = metadata?.name ?? '';
    for (const { version = '', resources = [], freshness } of versions ?? []) {
      const apiVersion = group === '' ? version : `${group}/${version}`;
      if (freshness === 'Stale') failures.set(apiVersion, `stale GroupVersion discovery: ${apiVersion}`);
      else for (const resource of resources ?? []) kinds.push(servedKind(group, version, resource));
    }
  }
  return { kinds, failures };
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
