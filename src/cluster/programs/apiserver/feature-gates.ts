/** The features of kube-apiserver 1.36 that are on by default. */
const ON = `
  APIResponseCompression APIServerIdentity APIServerTracing AggregatedDiscoveryRemoveBetaType
  AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs AnonymousAuthConfigurableEndpoints AnyVolumeDataSource
  AtomicFIFO AuthorizeNodeWithSelectors AuthorizePodWebsocketUpgradeCreatePermission AuthorizeWithSelectors
  BtreeWatchCache CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDObservedGenerationTracking
  CRDValidationRatcheting CSIServiceAccountTokenSecrets ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation
  ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz ConsistentListFromCache ConstrainedImpersonation
  ContainerCheckpoint ContainerRestartRules ContextualLogging CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors
  DRAAdminAccess DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource
  DRAPartitionableDevices DRAPrioritizedList DRAResourceClaimDeviceStatus
  DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidation
  DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency
  DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion DynamicResourceAllocation
  EnvFiles ExecProbeTimeout ExtendWebSocketsToKubelet ExternalServiceAccountTokenSigner GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride ImageMaximumGCAge ImageVolume
  InOrderInformers InOrderInformersBatchProcess InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling
  InPlacePodVerticalScalingInitContainers InformerResourceVersion JobBackoffLimitPerIndex JobManagedBy
  JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI KubeletCrashLoopBackOffMax
  KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletPSI KubeletPodResourcesDynamicResources
  KubeletPodResourcesGet KubeletPodResourcesListUseActivePods KubeletSeparateDiskGC
  KubeletServiceAccountTokenForCredentialProviders KubeletTracing ListFromCacheSnapshot LogarithmicScaleDown
  LoggingBetaOptions MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread
  MatchLabelKeysInPodTopologySpreadSelectorMerge MultiCIDRServiceAllocator MutableCSINodeAllocatableCount
  MutablePodResourcesForSuspendedJobs MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy
  NFTablesProxyMode NodeDeclaredFeatures NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap
  NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching OrderedNamespaceDeletion PLEGOnDemandRelist
  PodDeletionCost PodLevelResources PodLifecycleSleepAction PodLifecycleSleepActionAllowZero
  PodObservedGenerationTracking PodReadyToStartContainersCondition PodSchedulingReadiness PodTopologyLabelsAdmission
  PortForwardWebsockets PreferSameTrafficDistribution PreventStaticPodAPIReferences ProcMountType
  RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation
  RelaxedEnvironmentVariableValidation RelaxedServiceNameValidation ReloadKubeletClientCAFile
  ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResilientWatchCacheInitialization ResourceHealthStatus
  ResourceHealthStatusMessage RestartAllContainersOnContainerExits RetryGenerateName RotateKubeletServerCertificate
  SELinuxChangePolicy SELinuxMountReadWriteOncePod SchedulerAsyncPreemption SchedulerPopFromBackoffQ
  SchedulerQueueingHints SeparateTaintEvictionController ServiceAccountNodeAudienceRestriction
  ServiceAccountTokenJTI ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation
  ServiceAccountTokenPodNodeInfo ServiceCIDRStatusFieldWiping SidecarContainers SizeBasedListCostEstimate
  StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
  StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageNamespaceIndex
  StorageVersionHash StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StrictIPCIDRValidation
  StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics SupplementalGroupsPolicy SystemdWatchdog
  TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TopologyManagerPolicyOptions
  TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy
  UnlockWhileProcessingFIFO UserNamespacesSupport VolumeAttributesClass WatchCacheInitializationPostStartHook
  WatchList WatchListClient WinDSR WinOverlay WindowsGracefulNodeShutdown
`;

/** Those that are off. */
const OFF = `
  APIServingWithRoutine AllAlpha AllBeta AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests
  AllowOverwriteTerminationGracePeriodSeconds AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth ChangeContainerStatusOnKubeletRestart
  ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation
  CloudControllerManagerWebhook ClusterTrustBundle ClusterTrustBundleProjection ConcurrentWatchObjectDecode
  ContainerStopSignals ControllerManagerReleaseLeaderElectionLockOnExit CoordinatedLeaderElection
  CrossNamespaceVolumeDataSource DRADeviceTaintRules DRAListTypeAttributes DRANodeAllocatableResources
  DRAResourcePoolStatus DRAWorkloadResourceClaims DeclarativeValidationTakeover EventedPLEG GangScheduling
  GenericWorkload GitRepoVolumeDriver HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory KMSv1 KubeletInUserNamespace KubeletRegistrationGetOnExistsOnly
  LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions ManifestBasedAdmissionControlConfig
  MaxUnavailableStatefulSet MemoryQoS MutablePVNodeAffinity NativeHistograms PersistentVolumeClaimUnusedSinceTime
  PodAndContainerStatsFromCRI PodCertificateRequest PodLevelResourceManagers PodLogsQuerySplitStreams PodsAPI
  QOSReserved ReduceDefaultCrashLoopBackOffDecay RuntimeClassInImageCriApi SELinuxMount SchedulerAsyncAPICalls
  SeparateCacheWatchRPC ShardedListAndWatch StorageCapacityScoring StorageVersionAPI StorageVersionMigrator
  TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling TopologyManagerPolicyAlphaOptions
  UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity WindowsHostNetwork
  WorkloadAwarePreemption WorkloadWithJob
`;

/** By name: whether the feature is on in Kubernetes 1.36, and so here. */
export const featureGates: ReadonlyMap<string, boolean> = new Map([
  ...names(ON).map((name) => [name, true] as const),
  ...names(OFF).map((name) => [name, false] as const),
]);

function names(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/**
 * What is wrong with a value of `--feature-gates`; undefined when it asks for what is the case anyway.
 *
 * Example: `InPlacePodVerticalScaling=true,kube:AllAlpha=false`.
 */
export function featureGateProblem(words: readonly string[]): string | undefined {
  for (const word of words) {
    const [, name = '', value = ''] = /^(?:kube:)?([^=]*)=?(.*)$/.exec(word) ?? [];
    const isOn = featureGates.get(name);
    if (isOn === undefined) return `unrecognized feature gate: ${name}`;
    if (!/^(?:true|false)$/i.test(value)) return `${name} must be true or false, got "${value}"`;
    if (value.toLowerCase() !== String(isOn))
      return `${word} is refused: features are as they are in Kubernetes 1.36 by default, and ${name} is ${isOn ? 'on' : 'off'}`;
  }
  return undefined;
}
