import type { AdmissionPlugin } from '../../apiserver/index.ts';
import { messageOf } from '../../base/index.ts';
import { runtimeClassAdmission } from '../node/runtimeclass-admission.ts';
import { type AdmissionChoice, admissionProblems, runningPlugins } from './admission-choice.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { alwaysAdmit, alwaysDeny } from './always-admit.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import { clusterTrustBundleAttest } from './cluster-trust-bundle-attest.ts';
import type { PluginConfigurations } from './configuration/admission-configuration.ts';
import { defaultIngressClass } from './default-ingress-class.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { certificateApproval, certificateSigning, certificateSubjectRestriction } from './certificate-admission.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { denyServiceExternalIPs } from './deny-service-external-ips.ts';
import { eventRateLimit } from './event-rate-limit.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { limitPodHardAntiAffinityTopology } from './limit-pod-hard-anti-affinity-topology.ts';
import { limitRanger } from './limit-ranger.ts';
import { namespaceAutoProvision } from './namespace-auto-provision.ts';
import { namespaceExists } from './namespace-exists.ts';
import { namespaceLifecycle } from './namespace-lifecycle.ts';
import { nodeDeclaredFeatureValidator } from './node-declared-feature-validator.ts';
import { nodeRestriction } from './node-restriction.ts';
import { readPodSecurityConfiguration } from './pod-security/pod-security-configuration.ts';
import { podSecurity } from './pod-security/pod-security.ts';
import { ownerReferencesPermissionEnforcement } from './owner-references-permission-enforcement.ts';
import { persistentVolumeClaimResize } from './persistent-volume-claim-resize.ts';
import { podNodeSelector } from './pod-node-selector.ts';
import { podResizeValidator } from './pod-resize-validator.ts';
import { podTolerationRestriction } from './pod-toleration-restriction.ts';
import { podTopologyLabels } from './pod-topology-labels.ts';
import { priorityAdmission } from './priority-admission.ts';
import { readResourceQuotaConfiguration } from './resource-quota/resource-quota-configuration.ts';
import { resourceQuota } from './resource-quota/resource-quota.ts';
import { serviceAccountAdmission } from './service-account-admission.ts';
import { storageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';

/**
 * Makes a plugin. `configuration` is the plugin's part of the AdmissionConfiguration file, in YAML or JSON, which the
 * plugin parses itself; undefined if there is none. An error keeps the server from starting.
 */
export type PluginMaker = (parts: AdmissionParts, configuration: string | undefined) => AdmissionPlugin;

/** Plugins made outside this folder, by name. */
export type OtherPlugins = Readonly<Record<string, (configuration: string | undefined) => AdmissionPlugin>>;

/** The implemented plugins. `pluginOrder` defines their order. */
const makers: Readonly<Record<string, PluginMaker>> = {
  AlwaysAdmit: alwaysAdmit,
  NamespaceAutoProvision: namespaceAutoProvision,
  NamespaceLifecycle: namespaceLifecycle,
  NamespaceExists: namespaceExists,
  LimitPodHardAntiAffinityTopology: limitPodHardAntiAffinityTopology,
  LimitRanger: limitRanger,
  ServiceAccount: serviceAccountAdmission,
  NodeRestriction: nodeRestriction,
  TaintNodesByCondition: taintNodesByCondition,
  PodSecurity: (parts, text) => podSecurity(parts, text === undefined ? undefined : readPodSecurityConfiguration(text)),
  AlwaysPullImages: alwaysPullImages,
  PodNodeSelector: podNodeSelector,
  Priority: priorityAdmission,
  DefaultTolerationSeconds: defaultTolerationSeconds,
  PodTolerationRestriction: podTolerationRestriction,
  EventRateLimit: eventRateLimit,
  ExtendedResourceToleration: extendedResourceToleration,
  DefaultStorageClass: defaultStorageClass,
  StorageObjectInUseProtection: storageObjectInUseProtection,
  OwnerReferencesPermissionEnforcement: ownerReferencesPermissionEnforcement,
  PersistentVolumeClaimResize: persistentVolumeClaimResize,
  RuntimeClass: runtimeClassAdmission,
  ResourceQuota: (parts, text) =>
    resourceQuota(parts, text === undefined ? undefined : readResourceQuotaConfiguration(text)),
  ClusterTrustBundleAttest: clusterTrustBundleAttest,
  DefaultIngressClass: defaultIngressClass,
  DenyServiceExternalIPs: denyServiceExternalIPs,
  PodTopologyLabels: podTopologyLabels,
  NodeDeclaredFeatureValidator: nodeDeclaredFeatureValidator,
  PodResizeValidator: podResizeValidator,
  AlwaysDeny: alwaysDeny,
  CertificateApproval: certificateApproval,
  CertificateSigning: certificateSigning,
  CertificateSubjectRestriction: certificateSubjectRestriction,
};

/** The plugins that a server runs, and their configuration. */
export interface AdmissionSettings extends Partial<AdmissionChoice> {
  readonly configurations?: PluginConfigurations;
}

/**
 * The admission plugins of a cluster in running order: the default ones, changed by the choice. Plugins made elsewhere run
 * at the place of their name. PodGroupProtection, PodGroupWorkloadExists and JobValidation do nothing in 1.36 unless the
 * feature GenericWorkload is enabled, and are therefore not made.
 */
export function builtInAdmission(
  parts: AdmissionParts,
  { enable = [], disable = [], configurations = {} }: AdmissionSettings = {},
  others: OtherPlugins = {},
): readonly AdmissionPlugin[] {
  const [problem] = admissionProblems({ enable, disable });
  if (problem !== undefined) throw new Error(`Cannot choose admission plugins: ${problem}`);
  return runningPlugins({ enable, disable }).flatMap((name) => {
    const configuration = configurations[name];
    try {
      return makers[name]?.(parts, configuration) ?? others[name]?.(configuration) ?? [];
    } catch (cause) {
      const why = `couldn't init admission plugin ${JSON.stringify(name)}: ${messageOf(cause)}`;
      throw new Error(`failed to apply admission: ${why}`, { cause });
    }
  });
}
