import { createHash } from 'node:crypto';
import type { APIGroupDiscovery, APIResourceDiscovery, APIVersionDiscovery } from '../types/apidiscovery/v2.d.ts';
import type { GroupVersionKind } from '../schema/schema.ts';
import type { DiscoveredResource } from './discovered-resource.ts';
import type { ServedGroup, ServedGroupVersion } from './group-order.ts';

/** The media types of aggregated discovery at `/api` and `/apis`: all groups, versions and resources in one answer. */
export const AGGREGATED_DISCOVERY = {
  group: 'apidiscovery.k8s.io',
  version: 'v2',
  kind: 'APIGroupDiscoveryList',
} as const;

/** A group and version with all its resources. */
export interface DiscoveredGroupVersion extends ServedGroupVersion {
  readonly resources: readonly APIResourceDiscovery[];
  /** `Stale`: the server behind it could not be reached, and this is its last known answer. */
  readonly freshness: 'Current' | 'Stale';
}

/** The JSON of one group, as the aggregated answer lists it. */
export function aggregatedGroup({ name, versions }: ServedGroup<DiscoveredGroupVersion>): string {
  const group: APIGroupDiscovery = {
    metadata: name === '' ? {} : { name },
    versions: versions.map(({ version, resources, freshness }): APIVersionDiscovery => ({
      version,
      resources: [...resources],
      freshness,
    })),
  };
  return JSON.stringify(group);
}

/** An aggregated answer, and its `ETag` without quotes; equal for servers with the same resources. */
export interface AggregatedDiscovery {
  readonly body: string;
  readonly etag: string;
}

/** The aggregated answer from the JSON of its groups: of the core group for `/api`, of all others for `/apis`. */
export function aggregatedDiscovery(groups: readonly string[]): AggregatedDiscovery {
  const members = `"metadata":{},"items":[${groups.join(',')}]}`;
  return {
    body: `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",${members}\n`,
    etag: createHash('sha512').update(`{${members}`).digest('hex').toUpperCase(),
  };
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

/** Built-in resources leave group and version empty if they are the resource's own; custom resources do not. */
function responseKind(kind: GroupVersionKind, resource: DiscoveredResource): GroupVersionKind {
  const isOwn = kind.group === resource.group && kind.version === resource.version;
  return isOwn && !resource.isCustom ? { group: '', version: '', kind: kind.kind } : kind;
}
