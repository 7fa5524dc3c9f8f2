import {
  mutatingAdmissionPolicies,
  mutatingAdmissionPolicyBindings,
  validatingAdmissionPolicies,
  validatingAdmissionPolicyBindings,
} from './admissionregistration/policies.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from './admissionregistration/webhookconfigurations.ts';
import { customResourceDefinitions } from './apiextensions/customresourcedefinitions.ts';
import { apiServices } from './apiregistration/apiservices.ts';
import { storageVersions } from './apiserverinternal/storageversions.ts';
import { controllerRevisions } from './apps/controllerrevisions.ts';
import { daemonSets } from './apps/daemonsets.ts';
import { deployments } from './apps/deployments.ts';
import { replicaSets } from './apps/replicasets.ts';
import { statefulSets } from './apps/statefulsets.ts';
import { identityReviews } from './authentication/reviews.ts';
import { accessReviews } from './authorization/reviews.ts';
import { horizontalPodAutoscalers } from './autoscaling/horizontalpodautoscalers.ts';
import { cronJobs } from './batch/cronjobs.ts';
import { jobs } from './batch/jobs.ts';
import { certificateSigningRequests } from './certificates/certificatesigningrequests.ts';
import { clusterTrustBundles, podCertificateRequests } from './certificates/trust.ts';
import { leaseCandidates } from './coordination/leasecandidates.ts';
import { leases } from './coordination/leases.ts';
import { bindings } from './core/bindings.ts';
import { componentStatuses } from './core/componentstatuses.ts';
import { configMaps } from './core/configmaps.ts';
import { endpoints } from './core/endpoints.ts';
import { events } from './core/events.ts';
import { limitRanges } from './core/limitranges.ts';
import { namespaces } from './core/namespaces.ts';
import { nodes } from './core/nodes.ts';
import { persistentVolumeClaims } from './core/persistentvolumeclaims.ts';
import { persistentVolumes } from './core/persistentvolumes.ts';
import { pods } from './core/pods.ts';
import { podTemplates } from './core/podtemplates.ts';
import { replicationControllers } from './core/replicationcontrollers.ts';
import { resourceQuotas } from './core/resourcequotas.ts';
import { secrets } from './core/secrets.ts';
import { serviceAccounts } from './core/serviceaccounts.ts';
import { services } from './core/services.ts';
import { endpointSlices } from './discovery/endpointslices.ts';
import { flowSchemas, priorityLevelConfigurations } from './flowcontrol/flowcontrol.ts';
import type { KindEnvironment } from './kind-environment.ts';
import type { Kind } from './kind.ts';
import { ingressClasses } from './networking/ingressclasses.ts';
import { ingresses } from './networking/ingresses.ts';
import { ipAddresses } from './networking/ipaddresses.ts';
import { networkPolicies } from './networking/networkpolicies.ts';
import { serviceCidrs } from './networking/servicecidrs.ts';
import { runtimeClasses } from './node/runtimeclasses.ts';
import { podDisruptionBudgets } from './policy/poddisruptionbudgets.ts';
import { clusterRoleBindings, roleBindings } from './rbac/rolebindings.ts';
import { clusterRoles, roles } from './rbac/roles.ts';
import { deviceClasses } from './resource/deviceclasses.ts';
import { deviceTaintRules, resourcePoolStatusRequests } from './resource/devicetaintrules.ts';
import { resourceClaims, resourceClaimTemplates } from './resource/resourceclaims.ts';
import { resourceSlices } from './resource/resourceslices.ts';
import { priorityClasses } from './scheduling/priorityclasses.ts';
import { podGroups, workloads } from './scheduling/workloads.ts';
import { csiNodes, csiStorageCapacities, volumeAttachments } from './storage/attachments.ts';
import { csiDrivers } from './storage/csidrivers.ts';
import { storageClasses, volumeAttributesClasses } from './storage/storageclasses.ts';
import { storageVersionMigrations } from './storagemigration/storageversionmigrations.ts';

/** The built-in kinds; a test compares them with the type table. */
export function allKinds(environment: KindEnvironment): Kind[] {
  return [
    bindings(environment),
    componentStatuses(environment),
    configMaps,
    endpoints,
    ...events(environment),
    limitRanges,
    namespaces,
    nodes(environment),
    persistentVolumeClaims,
    persistentVolumes,
    pods(environment),
    podTemplates,
    replicationControllers,
    resourceQuotas,
    secrets,
    serviceAccounts(environment),
    services(environment),

    controllerRevisions,
    daemonSets,
    deployments,
    replicaSets,
    statefulSets,
    cronJobs,
    jobs,
    horizontalPodAutoscalers,
    podDisruptionBudgets,
    priorityClasses,
    podGroups,
    workloads,

    ingressClasses,
    ingresses,
    ipAddresses,
    networkPolicies,
    serviceCidrs,
    endpointSlices,

    csiDrivers,
    csiNodes,
    csiStorageCapacities,
    storageClasses,
    volumeAttachments,
    volumeAttributesClasses,
    runtimeClasses,
    deviceClasses,
    deviceTaintRules,
    resourceClaims,
    resourceClaimTemplates,
    resourcePoolStatusRequests,
    resourceSlices,

    clusterRoleBindings,
    clusterRoles,
    roleBindings,
    roles,
    ...identityReviews(environment),
    ...accessReviews(environment),
    certificateSigningRequests,
    clusterTrustBundles,
    podCertificateRequests,

    mutatingAdmissionPolicies,
    mutatingAdmissionPolicyBindings,
    mutatingWebhookConfigurations,
    validatingAdmissionPolicies,
    validatingAdmissionPolicyBindings,
    validatingWebhookConfigurations,
    customResourceDefinitions,
    apiServices,
    flowSchemas,
    priorityLevelConfigurations,
    leases,
    leaseCandidates,
    storageVersions,
    storageVersionMigrations,
  ];
}
