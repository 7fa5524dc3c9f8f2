/** The plugins of kube-apiserver 1.36 in running order; `+` is enabled by default. */
const ORDER = `
  AlwaysAdmit
  NamespaceAutoProvision
  +NamespaceLifecycle
  NamespaceExists
  LimitPodHardAntiAffinityTopology
  +LimitRanger
  +ServiceAccount
  NodeRestriction
  +TaintNodesByCondition
  AlwaysPullImages
  ImagePolicyWebhook
  +PodSecurity
  PodNodeSelector
  +Priority
  +DefaultTolerationSeconds
  PodTolerationRestriction
  EventRateLimit
  ExtendedResourceToleration
  +DefaultStorageClass
  +StorageObjectInUseProtection
  +PodGroupProtection
  OwnerReferencesPermissionEnforcement
  +PersistentVolumeClaimResize
  +RuntimeClass
  +CertificateApproval
  +CertificateSigning
  +ClusterTrustBundleAttest
  +CertificateSubjectRestriction
  +DefaultIngressClass
  DenyServiceExternalIPs
  +PodTopologyLabels
  +PodGroupWorkloadExists
  +NodeDeclaredFeatureValidator
  +JobValidation
  +PodResizeValidator
  +MutatingAdmissionPolicy
  +MutatingAdmissionWebhook
  +ValidatingAdmissionPolicy
  +ValidatingAdmissionWebhook
  +ResourceQuota
  AlwaysDeny`;

export interface PluginName {
  readonly name: string;
  readonly isOnByDefault: boolean;
}

/** The names of all upstream admission plugins, in running order. */
export const pluginOrder: readonly PluginName[] = ORDER.trim()
  .split(/\s+/)
  .map((text) => ({ name: text.replace('+', ''), isOnByDefault: text.startsWith('+') }));
