import type { APIGroup, APIGroupList, APIResource, APIResourceList, APIVersions } from '../types/meta/v1.d.ts';
import type { DiscoveredResource } from './discovered-resource.ts';
import { orderedGroups } from './group-order.ts';
import type { ServedGroup } from './group-order.ts';
import { formatGroupVersion } from '../values/index.ts';
import type { GroupVersion } from '../values/index.ts';

/** Discovery answers have apiVersion `v1`, or none for the core group's own discovery. */
type Answer<T> = Omit<T, 'apiVersion'> & { apiVersion?: 'v1' };

/** `/api`; `serverAddress` is the host and port by which clients reach this server. */
export function coreVersions(serverAddress: string): Answer<APIVersions> {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress }],
  };
}

/** `/apis`; the core group is not listed. */
export function groupList(served: readonly ServedGroup[]): Answer<APIGroupList> {
  const groups = orderedGroups(served, 'by APIService').filter(({ name }) => name !== '');
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupEntry) };
}

/** `/apis/G` */
export function singleGroup(group: ServedGroup): Answer<APIGroup> {
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupEntry(group) };
}

function groupEntry({ name, versions }: ServedGroup): Omit<APIGroup, 'kind' | 'apiVersion'> {
  return { name, versions: versions.map(versionEntry), preferredVersion: versionEntry(versions[0]) };
}

function versionEntry(one: GroupVersion): APIGroup['versions'][number] {
  return { groupVersion: formatGroupVersion(one), version: one.version };
}

/** `/api/v1` and `/apis/G/V`; `resources` are those of the group and version. */
export function resourceList(
  groupVersion: GroupVersion,
  resources: readonly DiscoveredResource[],
): Answer<APIResourceList> {
  const entries = resources.flatMap((resource) => [
    resourceEntry(resource),
    ...resource.subresources.map((subresource) => subresourceEntry(resource, subresource)),
  ]);
  return {
    kind: 'APIResourceList',
    ...(groupVersion.group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: formatGroupVersion(groupVersion),
    // Custom resources stay in the order of their definitions.
    resources: resources.some(({ isCustom }) => isCustom)
      ? entries
      : entries.sort((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

function resourceEntry(resource: DiscoveredResource): APIResource {
  return {
    name: resource.plural,
    singularName: resource.singular,
    namespaced: resource.namespaced,
    kind: resource.kind,
    verbs: [...resource.verbs],
    ...(resource.shortNames.length === 0 ? {} : { shortNames: [...resource.shortNames] }),
    ...(resource.categories.length === 0 ? {} : { categories: [...resource.categories] }),
    ...(resource.storageVersionHash === undefined ? {} : { storageVersionHash: resource.storageVersionHash }),
  };
}

function subresourceEntry(
  resource: DiscoveredResource,
  { name, kind, verbs }: DiscoveredResource['subresources'][number],
): APIResource {
  const isOwn = kind.group === resource.group && kind.version === resource.version;
  return {
    name: `${resource.plural}/${name}`,
    singularName: '',
    namespaced: resource.namespaced,
    ...(isOwn ? {} : { group: kind.group, version: kind.version }),
    kind: kind.kind,
    verbs: [...verbs],
  };
}
