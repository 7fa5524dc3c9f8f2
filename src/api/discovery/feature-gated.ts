import type { GroupVersion } from '../values/index.ts';

/**
 * The feature gate that a resource needs besides its API version being on, or undefined. All of these gates are off by
 * default in Kubernetes 1.36.
 */
export function requiredFeatureGate(resource: GroupVersion & { readonly plural: string }): string | undefined {
  return gates.get(`${resource.group}/${resource.plural}`);
}

const gates: ReadonlyMap<string, string> = new Map([
  ['certificates.k8s.io/clustertrustbundles', 'ClusterTrustBundle'],
  ['certificates.k8s.io/podcertificaterequests', 'PodCertificateRequest'],
  ['scheduling.k8s.io/podgroups', 'GenericWorkload'],
  ['scheduling.k8s.io/workloads', 'GenericWorkload'],
  ['storagemigration.k8s.io/storageversionmigrations', 'StorageVersionMigrator'],
]);
