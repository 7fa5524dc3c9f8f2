// How clients find out what the server serves.
export {
  AGGREGATED_DISCOVERY,
  aggregatedDiscovery,
  aggregatedResources,
  type DiscoveredGroupVersion,
  discoveryEtag,
} from './aggregated-discovery.ts';
export { type DiscoveredResource, discoveredResources, type DiscoveredSubresource } from './discovered-resource.ts';
export { requiredFeatureGate } from './feature-gated.ts';
export { orderedGroups, type ServedGroup, type ServedGroupVersion } from './group-order.ts';
export { clientGroupVersions, knownGroupVersions } from './known-group-versions.ts';
export { coreVersions, groupList, resourceList, singleGroup } from './legacy-discovery.ts';
export { builtInPriority, customPriority, type Priority } from './priorities.ts';
export {
  type ApiEnablement,
  apiEnablement,
  parseRuntimeConfig,
  type RuntimeConfig,
  RuntimeConfigError,
} from './runtime-config.ts';
export { storageVersionHash, storageVersionOf } from './storage-version.ts';
export { compareVersions } from './version-order.ts';
