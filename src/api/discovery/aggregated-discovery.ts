import { createHash } from 'node:crypto';
import type {
  APIGroupDiscovery,
  APIGroupDiscoveryList,
  APIResourceDiscovery,
  APIVersionDiscovery,
} from '../types/apidiscovery/v2.d.ts';
import type { GroupVersionKind } from '../schema/schema.ts';
import type { DiscoveredResource } from './discovered-resource.ts';
import { orderedGroups } from './group-order.ts';
import type { ServedGroupVersion } from './group-order.ts';

/** How clients ask for aggregated discovery at `/api` and `/apis`: all groups, versions and resources in one answer. */
export const AGGREGATED_DISCOVERY = {
  group: 'apidiscovery.k8s.io',
  version: 'v2',
  kind: 'APIGroupDiscoveryList',
} as const;

/** A group and version with all that is served in it. */
export interface DiscoveredGroupVersion extends ServedGroupVersion {
  readonly resources: readonly APIResourceDiscovery[];
  /** `Stale`: the server that serves it could not be asked, and this is what it said before. */
  readonly freshness: 'Current' | 'Stale';
}

/** The aggregated answer: of the core group for `/api`, of all other groups for `/apis`. */
export function aggregatedDiscovery(served: readonly DiscoveredGroupVersion[]): APIGroupDiscoveryList {
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: orderedGroups(served, 'by group').map(({ name, versions }): APIGroupDiscovery => ({
      metadata: name === '' ? {} : { name },
      versions: versions.map(({ version, resources, freshness }): APIVersionDiscovery => ({
        version,
        resources: [...resources],
        freshness,
      })),
    })),
  };
}

/** The value of the `ETag` header of an aggregated answer, without its quotes. Servers that serve the same say the same. */
export function discoveryEtag({ metadata, items }: APIGroupDiscoveryList): string {
  return createHash('sha512').update(JSON.stringify({ metadata, items })).digest('hex').toUpperCase();
}

/** The resources of one group and version as the aggregated answer lists them. */
export function aggregatedResources(resources: readonly DiscoveredResource[]): APIResourceDiscovery[] {
  return [...resources]
    .sort((a, b) => (a.plural < b.plural ? -1 : 1))
    .map((resource): APIResourceDiscovery => {
      const own = { group: resource.group, version: resource.version, kind: resource.kind };
      return {
        resource: resource.plural,
        responseKind: responseKind(own, resource),
        scope: resource.namespaced ? 'Namespaced' : 'Cluster',
        singularResource: resource.singular,
        verbs: [...resource.verbs],
        ...(resource.shortNames.length === 0 ? {} : { shortNames: [...resource.shortNames] }),
        ...(resource.categories.length === 0 ? {} : { categories: [...resource.categories] }),
        ...(resource.subresources.length === 0 ? {} : { subresources: subresources(resource) }),
      };
    });
}

function subresources(resource: DiscoveredResource): NonNullable<APIResourceDiscovery['subresources']> {
  const entries = resource.subresources.map(({ name, kind, verbs }) => ({
    subresource: name,
    responseKind: responseKind(kind, resource),
    verbs: [...verbs],
  }));
  return resource.isCustom ? entries : entries.sort((a, b) => (a.subresource < b.subresource ? -1 : 1));
}

/** Built-in resources leave group and version empty where they are the ones of the resource; custom resources do not. */
function responseKind(kind: GroupVersionKind, resource: DiscoveredResource): GroupVersionKind {
  const isOwn = kind.group === resource.group && kind.version === resource.version;
  return isOwn && !resource.isCustom ? { group: '', version: '', kind: kind.kind } : kind;
}
