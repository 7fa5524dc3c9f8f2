// The built-in kinds, one line each; a test compares them with the type table.
export {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './admissionregistration/policies.ts';
export { webhookConfigurations } from './admissionregistration/webhookconfigurations.ts';
export { customResourceDefinitions } from './apiextensions/customresourcedefinitions.ts';
export { apiServices } from './apiregistration/apiservices.ts';
export { storageVersions } from './apiserverinternal/storageversions.ts';
export { controllerRevisions } from './apps/controllerrevisions.ts';
export { daemonSets } from './apps/daemonsets.ts';
export { deployments } from './apps/deployments.ts';
export { replicaSets } from './apps/replicasets.ts';
export { statefulSets } from './apps/statefulsets.ts';
export { identityReviews } from './authentication/reviews.ts';
export { accessReviews } from './authorization/reviews.ts';
export { horizontalPodAutoscalers } from './autoscaling/horizontalpodautoscalers.ts';
export { cronJobs } from './batch/cronjobs.ts';
export { jobs } from './batch/jobs.ts';
export { certificateSigningRequests } from './certificates/certificatesigningrequests.ts';
export { clusterTrustBundles, podCertificateRequests } from './certificates/trust.ts';
export { leaseCandidates } from './coordination/leases.ts';
export { leases } from './coordination/leases.ts';
export { bindings } from './core/bindings.ts';
export { componentStatuses } from './core/componentstatuses.ts';
export { configMaps } from './core/configmaps.ts';
export { endpoints } from './core/endpoints.ts';
export { events } from './core/events.ts';
export { limitRanges } from './core/limitranges.ts';
export { namespaces } from './core/namespaces.ts';
export { nodes } from './core/nodes.ts';
export { persistentVolumeClaims } from './core/persistentvolumeclaims.ts';
export { persistentVolumes } from './core/persistentvolumes.ts';
export { pods } from './core/pods.ts';
export { podTemplates } from './core/podtemplates.ts';
export { replicationControllers } from './core/replicationcontrollers.ts';
export { resourceQuotas } from './core/resourcequotas.ts';
export { secrets } from './core/secrets.ts';
export { serviceAccounts } from './core/serviceaccounts.ts';
export { services } from './core/services.ts';
export { endpointSlices } from './discovery/endpointslices.ts';
export { flowSchemas, priorityLevelConfigurations } from './flowcontrol/flowcontrol.ts';
export { evictionRequests, evictions } from './lifecycle/evictions.ts';
export { ingressClasses } from './networking/ingresses.ts';
export { ingresses } from './networking/ingresses.ts';
export { ipAddresses } from './networking/servicecidrs.ts';
export { networkPolicies } from './networking/networkpolicies.ts';
export { serviceCidrs } from './networking/servicecidrs.ts';
export { runtimeClasses } from './node/runtimeclasses.ts';
export { podDisruptionBudgets } from './policy/poddisruptionbudgets.ts';
export { clusterRoleBindings, roleBindings } from './rbac/rolebindings.ts';
export { clusterRoles, roles } from './rbac/roles.ts';
export { deviceClasses } from './resource/resourceclaims.ts';
export { deviceTaintRules, resourcePoolStatusRequests } from './resource/devicetaintrules.ts';
export { resourceClaims, resourceClaimTemplates } from './resource/resourceclaims.ts';
export { resourceSlices } from './resource/resourceslices.ts';
export { priorityClasses } from './scheduling/priorityclasses.ts';
export { compositePodGroups, podGroups, workloads } from './scheduling/workloads.ts';
export { csiNodes, csiStorageCapacities, volumeAttachments } from './storage/csidrivers.ts';
export { csiDrivers } from './storage/csidrivers.ts';
export { storageClasses, volumeAttributesClasses } from './storage/storageclasses.ts';
export { storageVersionMigrations } from './storagemigration/storageversionmigrations.ts';
