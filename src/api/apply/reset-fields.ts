import { excludeFields, type FieldFilter } from './field-filter.ts';

/**
 * What writes to resources and their subresources cannot change, since it is reset to what it was, and who writes does
 * therefore not come to own: paths by `resource.group`, with the subresource after a slash. Resources that are not here
 * reset nothing.
 */
const RESET: Readonly<Record<string, readonly string[]>> = {
  'apiservices.apiregistration.k8s.io': ['status'],
  'apiservices.apiregistration.k8s.io/status': ['metadata', 'spec'],
  'certificatesigningrequests.certificates.k8s.io': ['spec', 'status'],
  'certificatesigningrequests.certificates.k8s.io/approval': ['spec', 'status.certificate'],
  'certificatesigningrequests.certificates.k8s.io/status': ['spec', 'status.conditions'],
  'cronjobs.batch': ['status'],
  'cronjobs.batch/status': ['spec'],
  'customresourcedefinitions.apiextensions.k8s.io': ['status'],
  'customresourcedefinitions.apiextensions.k8s.io/status': ['spec'],
  'daemonsets.apps': ['status'],
  'daemonsets.apps/status': ['spec'],
  'deployments.apps': ['status'],
  'deployments.apps/status': ['spec', 'metadata.labels'],
  'devicetaintrules.resource.k8s.io': ['status'],
  'devicetaintrules.resource.k8s.io/status': ['metadata', 'spec'],
  'flowschemas.flowcontrol.apiserver.k8s.io': ['status'],
  'flowschemas.flowcontrol.apiserver.k8s.io/status': ['metadata', 'spec'],
  'horizontalpodautoscalers.autoscaling': ['status'],
  'horizontalpodautoscalers.autoscaling/status': ['spec'],
  'ingresses.networking.k8s.io': ['status'],
  'ingresses.networking.k8s.io/status': ['spec'],
  'jobs.batch': ['status'],
  'jobs.batch/status': ['spec'],
  'namespaces.': ['status'],
  'namespaces./finalize': ['status'],
  'namespaces./status': ['spec'],
  'nodes.': ['status'],
  'nodes./status': ['spec'],
  'persistentvolumeclaims.': ['status'],
  'persistentvolumeclaims./status': ['spec'],
  'persistentvolumes.': ['status'],
  'persistentvolumes./status': ['spec'],
  'podcertificaterequests.certificates.k8s.io/status': ['spec'],
  'poddisruptionbudgets.policy': ['status'],
  'poddisruptionbudgets.policy/status': ['spec'],
  'podgroups.scheduling.k8s.io/status': ['metadata', 'spec'],
  'pods.': ['status'],
  'pods./status': ['spec', 'metadata.deletionTimestamp', 'metadata.ownerReferences'],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': ['status'],
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io/status': ['metadata', 'spec'],
  'replicasets.apps': ['status'],
  'replicasets.apps/status': ['spec'],
  'replicationcontrollers.': ['status'],
  'replicationcontrollers./status': ['spec'],
  'resourceclaims.resource.k8s.io': ['status'],
  'resourceclaims.resource.k8s.io/status': ['metadata', 'spec'],
  'resourcepoolstatusrequests.resource.k8s.io': ['status'],
  'resourcepoolstatusrequests.resource.k8s.io/status': ['metadata', 'spec'],
  'resourcequotas.': ['status'],
  'resourcequotas./status': ['spec'],
  'servicecidrs.networking.k8s.io': ['status'],
  'servicecidrs.networking.k8s.io/status': ['metadata', 'spec'],
  'services.': ['status'],
  'services./status': ['spec'],
  'statefulsets.apps': ['status'],
  'statefulsets.apps/status': ['spec'],
  'storageversionmigrations.storagemigration.k8s.io': ['status'],
  'storageversionmigrations.storagemigration.k8s.io/status': ['metadata', 'spec'],
  'storageversions.internal.apiserver.k8s.io': ['status'],
  'storageversions.internal.apiserver.k8s.io/status': ['metadata', 'spec'],
  'validatingadmissionpolicies.admissionregistration.k8s.io': ['status'],
  'validatingadmissionpolicies.admissionregistration.k8s.io/status': ['metadata', 'spec'],
  'volumeattachments.storage.k8s.io': ['status'],
  'volumeattachments.storage.k8s.io/status': ['metadata', 'spec'],
};

/** What writes to a resource, or to a subresource of it, can come to own; undefined when everything. */
export function resetFilter(
  resource: { readonly group: string; readonly plural: string },
  subresource = '',
): FieldFilter | undefined {
  const own = `${resource.plural}.${resource.group}`;
  const key = subresource === '' ? own : `${own}/${subresource}`;
  return Object.hasOwn(RESET, key) ? excludeFields(...(RESET[key] ?? []).map((path) => path.split('.'))) : undefined;
}
