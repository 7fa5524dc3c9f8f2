// Discovery: how clients learn what the server serves.
export * from './aggregated-discovery.ts';
export { type DiscoveredResource, type DiscoveredSubresource, storageVersionHash } from './discovered-resource.ts';
export { comparePreference, orderedGroups, type ServedGroup, type ServedGroupVersion } from './group-order.ts';
export { clientGroupVersions, knownGroupVersions } from './known-group-versions.ts';
export { coreVersions, groupList, resourceList, singleGroup } from './legacy-discovery.ts';
export { builtInPriority, customPriority, type Priority } from './priorities.ts';
export * from './runtime-config.ts';
export { compareVersions } from './version-order.ts';
