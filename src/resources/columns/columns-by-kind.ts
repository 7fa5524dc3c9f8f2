import type { Column } from '../../apiserver/index.ts';
import {
  certificateSigningRequestColumns,
  clusterTrustBundleColumns,
  podCertificateRequestColumns,
  roleBindingColumns,
} from './access-columns.ts';
import {
  admissionPolicyBindingColumns,
  mutatingAdmissionPolicyColumns,
  validatingAdmissionPolicyColumns,
  webhookConfigurationColumns,
} from './admission-columns.ts';
import { apiServiceColumns, storageVersionColumns, storageVersionMigrationColumns } from './apiserver-columns.ts';
import { horizontalPodAutoscalerColumns, scaleColumns } from './autoscaling-columns.ts';
import {
  componentStatusColumns,
  configMapColumns,
  namespaceColumns,
  resourceQuotaColumns,
  secretColumns,
  serviceAccountColumns,
} from './core-columns.ts';
import {
  deviceClassColumns,
  deviceTaintRuleColumns,
  resourceClaimColumns,
  resourceClaimTemplateColumns,
  resourcePoolStatusRequestColumns,
  resourceSliceColumns,
} from './device-columns.ts';
import { coreEventColumns, eventColumns } from './event-columns.ts';
import { flowSchemaColumns, priorityLevelConfigurationColumns } from './flowcontrol-columns.ts';
import { cronJobColumns, jobColumns } from './job-columns.ts';
import {
  ingressClassColumns,
  ingressColumns,
  ipAddressColumns,
  networkPolicyColumns,
  serviceCidrColumns,
} from './networking-columns.ts';
import { nodeColumns, runtimeClassColumns } from './node-columns.ts';
import { podColumns } from './pod-columns.ts';
import {
  leaseCandidateColumns,
  leaseColumns,
  podDisruptionBudgetColumns,
  podGroupColumns,
  priorityClassColumns,
  workloadColumns,
} from './scheduling-columns.ts';
import { endpointsColumns, endpointSliceColumns, serviceColumns } from './service-columns.ts';
import {
  csiDriverColumns,
  csiNodeColumns,
  storageClassColumns,
  volumeAttachmentColumns,
  volumeAttributesClassColumns,
} from './storage-columns.ts';
import { persistentVolumeClaimColumns, persistentVolumeColumns } from './volume-columns.ts';
import {
  controllerRevisionColumns,
  daemonSetColumns,
  deploymentColumns,
  podTemplateColumns,
  replicaSetColumns,
  replicationControllerColumns,
  statefulSetColumns,
} from './workload-columns.ts';

type ColumnsByKind = Readonly<Record<string, readonly Column[]>>;

const core: ColumnsByKind = {
  ComponentStatus: componentStatusColumns,
  ConfigMap: configMapColumns,
  Endpoints: endpointsColumns,
  Event: coreEventColumns,
  Namespace: namespaceColumns,
  Node: nodeColumns,
  PersistentVolume: persistentVolumeColumns,
  PersistentVolumeClaim: persistentVolumeClaimColumns,
  Pod: podColumns,
  PodTemplate: podTemplateColumns,
  ReplicationController: replicationControllerColumns,
  ResourceQuota: resourceQuotaColumns,
  Secret: secretColumns,
  Service: serviceColumns,
  ServiceAccount: serviceAccountColumns,
};

/** By group, then kind. LimitRange, Role, ClusterRole, CSIStorageCapacity and CustomResourceDefinition have none. */
const groups: Readonly<Record<string, ColumnsByKind>> = {
  '': core,
  'admissionregistration.k8s.io': {
    MutatingAdmissionPolicy: mutatingAdmissionPolicyColumns,
    MutatingAdmissionPolicyBinding: admissionPolicyBindingColumns,
    MutatingWebhookConfiguration: webhookConfigurationColumns,
    ValidatingAdmissionPolicy: validatingAdmissionPolicyColumns,
    ValidatingAdmissionPolicyBinding: admissionPolicyBindingColumns,
    ValidatingWebhookConfiguration: webhookConfigurationColumns,
  },
  'apiregistration.k8s.io': { APIService: apiServiceColumns },
  apps: {
    ControllerRevision: controllerRevisionColumns,
    DaemonSet: daemonSetColumns,
    Deployment: deploymentColumns,
    ReplicaSet: replicaSetColumns,
    StatefulSet: statefulSetColumns,
  },
  autoscaling: { HorizontalPodAutoscaler: horizontalPodAutoscalerColumns, Scale: scaleColumns },
  batch: { CronJob: cronJobColumns, Job: jobColumns },
  'certificates.k8s.io': {
    CertificateSigningRequest: certificateSigningRequestColumns,
    ClusterTrustBundle: clusterTrustBundleColumns,
    PodCertificateRequest: podCertificateRequestColumns,
  },
  'coordination.k8s.io': { Lease: leaseColumns, LeaseCandidate: leaseCandidateColumns },
  'discovery.k8s.io': { EndpointSlice: endpointSliceColumns },
  'events.k8s.io': { Event: eventColumns },
  'flowcontrol.apiserver.k8s.io': {
    FlowSchema: flowSchemaColumns,
    PriorityLevelConfiguration: priorityLevelConfigurationColumns,
  },
  'internal.apiserver.k8s.io': { StorageVersion: storageVersionColumns },
  'networking.k8s.io': {
    Ingress: ingressColumns,
    IngressClass: ingressClassColumns,
    IPAddress: ipAddressColumns,
    NetworkPolicy: networkPolicyColumns,
    ServiceCIDR: serviceCidrColumns,
  },
  'node.k8s.io': { RuntimeClass: runtimeClassColumns },
  policy: { PodDisruptionBudget: podDisruptionBudgetColumns },
  'rbac.authorization.k8s.io': { ClusterRoleBinding: roleBindingColumns, RoleBinding: roleBindingColumns },
  'resource.k8s.io': {
    DeviceClass: deviceClassColumns,
    DeviceTaintRule: deviceTaintRuleColumns,
    ResourceClaim: resourceClaimColumns,
    ResourceClaimTemplate: resourceClaimTemplateColumns,
    ResourcePoolStatusRequest: resourcePoolStatusRequestColumns,
    ResourceSlice: resourceSliceColumns,
  },
  'scheduling.k8s.io': {
    PodGroup: podGroupColumns,
    PriorityClass: priorityClassColumns,
    Workload: workloadColumns,
  },
  'storage.k8s.io': {
    CSIDriver: csiDriverColumns,
    CSINode: csiNodeColumns,
    StorageClass: storageClassColumns,
    VolumeAttachment: volumeAttachmentColumns,
    VolumeAttributesClass: volumeAttributesClassColumns,
  },
  'storagemigration.k8s.io': { StorageVersionMigration: storageVersionMigrationColumns },
};

/** The columns in which tables show a kind, in whatever version; none when it has no columns of its own. */
export function columnsFor(group: string, kind: string): readonly Column[] {
  const kinds = Object.hasOwn(groups, group) ? groups[group] : undefined;
  return kinds !== undefined && Object.hasOwn(kinds, kind) ? (kinds[kind] ?? []) : [];
}
