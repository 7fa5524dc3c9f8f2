/** What kube-apiserver 1.36 knows, in the order in which it asks them; `+` is on unless switched off. */
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

/** All names of admission plugins that there are upstream, in running order. */
export const pluginOrder: readonly PluginName[] = ORDER.trim()
  .split(/\s+/)
  .map((text) => ({ name: text.replace('+', ''), isOnByDefault: text.startsWith('+') }));
