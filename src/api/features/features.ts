import { type KubernetesVersion, minorOf } from '../../base/index.ts';
import { holdsIn, parseRanged } from '../language/version-range.ts';

/**
 * The features of kube-apiserver that are on by default, each with the versions of Kubernetes in which it is, as in the definition files. A
 * feature that is in neither list does not exist in that version.
 */
const ON = `
  APIResponseCompression APIServerIdentity APIServerTracing@..1.36 AggregatedDiscoveryRemoveBetaType
  AllowParsingUserUIDFromCertAuth AllowServiceExternalIPs@1.36 AllowUnsafeMalformedObjectDeletion@1.37
  AnonymousAuthConfigurableEndpoints@..1.36 AnyVolumeDataSource@..1.36 AtomicFIFO@1.36
  AuthorizeNodeWithSelectors@..1.36 AuthorizePodWebsocketUpgradeCreatePermission@1.35 AuthorizeWithSelectors@..1.36
  BtreeWatchCache@..1.36 CPUManagerPolicyBetaOptions CPUManagerPolicyOptions CRDObservedGenerationTracking@1.36
  CRDValidationRatcheting CSIMigrationPortworx@..1.35 CSIServiceAccountTokenSecrets@1.35
  ClearingNominatedNodeNameAfterBinding@1.35 ClientsAllowCARotation@1.36 ClientsAllowTLSCacheGC@1.36
  ClusterTrustBundle@1.37 ClusterTrustBundleProjection@1.37 ComponentFlagz@1.36 ComponentSLIs@..1.34
  ComponentStatusz@1.36 ConcurrentWatchObjectDecode@1.37 ConsistentListFromCache@..1.36 ConstrainedImpersonation@1.36
  ContainerCheckpoint ContainerRestartRules@1.35 ContextualLogging CronJobsScheduledAnnotation@..1.34
  CustomCPUCFSQuotaPeriod@1.36 CustomResourceFieldSelectors DRAAdminAccess@1.34 DRAConsumableCapacity@1.36
  DRADeviceBindingConditions@1.36 DRADeviceTaintRules@1.37 DRADeviceTaints@1.36 DRAExtendedResource@1.36
  DRAFractionalCapacityRange@1.37 DRAPartitionableDevices@1.36 DRAPrioritizedList@1.34 DRAResourceClaimDeviceStatus
  DRAResourceClaimGranularStatusAuthorization@1.36 DRASchedulerFilterTimeout@1.34 DeclarativeValidation
  DeclarativeValidationBeta@1.36 DeploymentReplicaSetTerminatingReplicas@1.35 DetectCacheInconsistency@1.34
  DevicePluginCDIDevices@..1.33 DisableAllocatorDualWrite@1.34 DisableCPUQuotaWithExclusiveCPUs
  DisableNodeKubeProxyVersion DynamicResourceAllocation@1.34 ElasticIndexedJob@..1.33 EnvFiles@1.35
  EtcdRangeStream@1.37 ExcludeAdmissionWebhookVirtualResources@1.37 ExecProbeTimeout ExtendWebSocketsToKubelet@1.36
  ExternalServiceAccountTokenSigner@1.34 GracefulNodeShutdown GracefulNodeShutdownBasedOnPodPriority
  HPAConfigurableTolerance@1.35 HPAGeneration@1.37 HPAOptimizedSelectorStore@1.37 HPAScaleToZero@1.37
  HonorPVReclaimPolicy@..1.35 HostnameOverride@1.35 HugepageAwareEviction@1.37 ImageMaximumGCAge ImageVolume@1.35
  InOrderInformers InOrderInformersBatchProcess@1.35 InPlacePodLevelResourcesVerticalScaling@1.36
  InPlacePodVerticalScaling InPlacePodVerticalScalingInitContainers@1.36 InformerResourceVersion@1.35
  JobBackoffLimitPerIndex@..1.36 JobManagedBy JobPodReplacementPolicy@..1.36 JobSuccessPolicy@..1.36
  KubeProxyIPVS@1.37 KubeletCgroupDriverFromCRI KubeletCrashLoopBackOffMax@1.35 KubeletEnsureSecretPulledImages@1.35
  KubeletFineGrainedAuthz KubeletInUserNamespace@1.37 KubeletPSI@1.34 KubeletPodResourcesDynamicResources@1.34
  KubeletPodResourcesGet@1.34 KubeletPodResourcesListUseActivePods@1.34 KubeletSeparateDiskGC
  KubeletServiceAccountTokenForCredentialProviders@1.34 KubeletTracing ListFromCacheSnapshot@1.34
  LoadBalancerIPMode@..1.34 LogarithmicScaleDown@..1.36 LoggingBetaOptions ManifestBasedAdmissionControlConfig@1.37
  MatchLabelKeysInPodAffinity MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge@1.34
  MaxUnavailableStatefulSet@1.37 MemoryManager@..1.35 MemoryQoS@1.37 MultiCIDRServiceAllocator
  MutableCSINodeAllocatableCount@1.35 MutablePodResourcesForSuspendedJobs@1.36
  MutableSchedulingDirectivesForSuspendedJobs@1.36 MutatingAdmissionPolicy@1.36 NFTablesNetlink@1.37 NFTablesProxyMode
  NativeHistograms@1.37 NodeControllerLeaseCircuitBreaker@1.37 NodeDeclaredFeatures@1.36
  NodeInclusionPolicyInPodTopologySpread NodeLogQuery@1.36 NodeSwap NominatedNodeNameForExpectation@1.35 OpenAPIEnums
  OpportunisticBatching@1.35 OrderedNamespaceDeletion@..1.36 PLEGOnDemandRelist@1.36
  PersistentVolumeClaimUnusedSinceTime@1.37 PodCertificateRequest@1.37 PodDeletionCost PodDisruptionConditions@..1.33
  PodIndexLabel@..1.34 PodLevelResources@1.34 PodLevelResourcesFixDefaulting@1.37
  PodLevelResourcesFixKubeletQOSClass@1.37 PodLifecycleSleepAction@..1.36 PodLifecycleSleepActionAllowZero@..1.36
  PodObservedGenerationTracking@1.34 PodReadyToStartContainersCondition PodSchedulingReadiness
  PodTopologyLabelsAdmission@1.35 PodsAPI@1.37 PortForwardWebsockets PreferSameTrafficDistribution@1.34
  PreventStaticPodAPIReferences@1.34..1.36 ProbeHostPodSecurityStandards@1.34..1.34 ProcMountType
  RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation@..1.36
  RelaxedEnvironmentVariableValidation RelaxedServiceNameValidation@1.36 ReloadKubeletClientCAFile@1.36
  ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResilientWatchCacheInitialization@..1.36
  ResourceHealthStatus@1.36 ResourceHealthStatusMessage@1.36 RestartAllContainersOnContainerExits@1.36
  RetryGenerateName@..1.36 RotateKubeletServerCertificate SELinuxChangePolicy SELinuxMount@1.37
  SELinuxMountReadWriteOncePod SchedulerAsyncPreemption SchedulerPopFromBackoffQ SchedulerQueueingHints@..1.36
  SeparateTaintEvictionController ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI
  ServiceAccountTokenNodeBinding ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
  ServiceCIDRStatusFieldWiping@1.36 ServiceTrafficDistribution@..1.35 SidecarContainers@..1.36
  SizeBasedListCostEstimate@1.34 SizeMemoryBackedVolumes@..1.34 StaleControllerConsistencyDaemonSet@1.36
  StaleControllerConsistencyHPA@1.37 StaleControllerConsistencyJob@1.36 StaleControllerConsistencyReplicaSet@1.36
  StaleControllerConsistencyStatefulSet@1.36 StatefulSetAutoDeletePVC@..1.34
  StatefulSetSemanticRevisionComparison@1.34 StatefulSetStartOrdinal@..1.33 StorageCapacityScoring@1.37
  StorageNamespaceIndex StorageVersionHash StorageVersionMigrator@1.37 StreamingCollectionEncodingToJSON@..1.36
  StreamingCollectionEncodingToProtobuf@..1.36 StrictCostEnforcementForVAP@..1.34
  StrictCostEnforcementForWebhooks@..1.34 StrictIPCIDRValidation@1.36 StructuredAuthenticationConfiguration@..1.36
  StructuredAuthenticationConfigurationEgressSelector@1.34 StructuredAuthenticationConfigurationJWKSMetrics@1.35
  StructuredAuthorizationConfiguration@..1.35 SupplementalGroupsPolicy SystemdWatchdog
  TokenRequestServiceAccountUIDValidation@1.34 TopologyAwareHints@..1.35 TopologyManagerPolicyBetaOptions
  TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests UnauthenticatedHTTP2DOSMitigation
  UnknownVersionInteroperabilityProxy@1.36 UnlockWhileProcessingFIFO@1.36 UserNamespacesSupport
  VolumeAttributesClass@1.34 VolumeLimitScaling@1.37 WatchCacheInitializationPostStartHook@1.36 WatchList@1.34
  WatchListClient@1.35 WatchListCompression@1.37 WebhookRoundTripLoadBalancing@1.37 WinDSR WinOverlay
  WindowsGracefulNodeShutdown@1.34
`;

/** Those that exist and are off. */
const OFF = `
  APIServerWebhookAuthenticationToken@1.37 APIServingWithRoutine AllAlpha AllBeta AllowDNSOnlyNodeCSR
  AllowInsecureKubeletCertificateSigningRequests AllowOverwriteTerminationGracePeriodSeconds
  AllowServiceLBStatusOnNonLB@..1.34 AllowUnsafeMalformedObjectDeletion@..1.36 AtomicWriteVolumeUserFields@1.37
  CBORServingAndStorage CPUManagerPolicyAlphaOptions CRDObservedGenerationTracking@1.35..1.35 CRIListStreaming@1.36
  CSIVolumeHealth ChangeContainerStatusOnKubeletRestart@1.35 ClearingNominatedNodeNameAfterBinding@1.34..1.34
  ClientsAllowCBOR ClientsPreferCBOR CloudControllerManagerWatchBasedRoutesReconciliation@1.35
  CloudControllerManagerWebhook ClusterTrustBundle@..1.36 ClusterTrustBundleProjection@..1.36 ComponentFlagz@..1.35
  ComponentStatusz@..1.35 CompositePodGroup@1.37 ConcurrentWatchObjectDecode@..1.36
  ConsistentListFromCacheSkipTimeoutFallback@1.37 ConstrainedImpersonation@1.35..1.35 ContainerRestartRules@1.34..1.34
  ContainerStopSignals ControllerManagerReleaseLeaderElectionLockOnExit@1.36 CoordinatedLeaderElection
  CrossNamespaceVolumeDataSource CustomCPUCFSQuotaPeriod@..1.35 DRAAdminAccess@..1.33 DRAConsumableCapacity@1.34..1.35
  DRADerivedAttributes@1.37 DRADeviceBindingConditions@1.34..1.35 DRADeviceCompatibilityGroups@1.37
  DRADeviceTaintRules@1.35..1.36 DRADeviceTaints@..1.35 DRAExtendedResource@1.34..1.35 DRAListTypeAttributes@1.36
  DRANodeAllocatableResources@1.36 DRAOptionalNodeOperations@1.37 DRAPartitionableDevices@..1.35
  DRAPartitionableDevicesType@1.37 DRAPrioritizedList@..1.33 DRAResourcePoolStatus@1.36 DRAWorkloadResourceClaims@1.36
  DeclarativeValidationTakeover DefaultPodSysctls@1.37 DeploymentReplicaSetTerminatingReplicas@..1.34
  DisableAllocatorDualWrite@..1.33 DynamicResourceAllocation@..1.33 EmptyDirVolumeMode@1.37 EnvFiles@1.34..1.34
  EventedPLEG EvictionRequestAPI@1.37 ExternalServiceAccountTokenSigner@..1.33 GRPCContainerProbeTLS@1.37
  GangScheduling@1.35..1.36 GenericWorkload@1.35 GitRepoVolumeDriver H2CContainerProbe@1.37
  HPAConfigurableTolerance@..1.34 HPAScaleToZero@..1.36 HostnameOverride@1.34..1.34 ImageVolume@..1.34
  ImageVolumeWithDigest@1.36 InPlacePodLevelResourcesVerticalScaling@1.35..1.35
  InPlacePodVerticalScalingAllocatedStatus@..1.35 InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory@1.34 InPlacePodVerticalScalingMemoryBackedVolumes@1.37
  InPlacePodVerticalScalingSchedulerPreemption@1.37 InTreePluginPortworxUnregister@..1.35
  InformerResourceVersion@..1.34 InterPodAffinityHostnameFastPath@1.37 KMSv1 KubeProxyNFTablesLocalhostNodePorts@1.37
  KubeletAllocatedPodsEndpoint@1.37 KubeletCrashLoopBackOffMax@..1.34 KubeletEnsureSecretPulledImages@..1.34
  KubeletInUserNamespace@..1.36 KubeletPSI@..1.33 KubeletPodResourcesDynamicResources@..1.33
  KubeletPodResourcesGet@..1.33 KubeletRegistrationGetOnExistsOnly
  KubeletServiceAccountTokenForCredentialProviders@..1.33 LegacySidecarContainers@..1.33 ListFromCacheSnapshot@..1.33
  LocalStorageCapacityIsolationFSQuotaMonitoring LoggingAlphaOptions ManifestBasedAdmissionControlConfig@1.36..1.36
  MaxUnavailableStatefulSet@..1.36 MemoryQoS@..1.36 MutableCSINodeAllocatableCount@..1.34 MutablePVNodeAffinity@1.35
  MutablePodResourcesForSuspendedJobs@1.35..1.35 MutableSchedulingDirectivesForSuspendedJobs@1.35..1.35
  MutatingAdmissionPolicy@..1.35 NativeHistograms@1.36..1.36 NodeDeclaredFeatures@1.35..1.35
  NodeLifecycleConditions@1.37 NodeLogQuery@..1.35 NominatedNodeNameForExpectation@1.34..1.34
  PersistentVolumeClaimUnusedSinceTime@1.36..1.36 PodAndContainerStatsFromCRI PodCertificateRequest@1.34..1.36
  PodGroupPreemptionPolicy@1.37 PodLevelResourceManagers@1.36 PodLevelResources@..1.33 PodLogsQuerySplitStreams
  PodObservedGenerationTracking@..1.33 PodTopologyLabelsAdmission@..1.34 PodsAPI@1.36..1.36
  PreferSameTrafficDistribution@..1.33 QOSReserved ReduceDefaultCrashLoopBackOffDecay
  RelaxedServiceNameValidation@1.34..1.35 ResourceHealthStatus@..1.35 RestartAllContainersOnContainerExits@1.35..1.35
  RuntimeClassInImageCriApi SELinuxMount@..1.36 SchedulerAsyncAPICalls@1.34 SchedulerPreQueueingHints@1.37
  SeparateCacheWatchRPC ShardedListAndWatch@1.36 StatefulSetRecreateStrategy@1.37 StorageCapacityScoring@..1.36
  StorageVersionAPI StorageVersionMigrator@..1.36 StrictIPCIDRValidation@..1.35
  TaintTolerationComparisonOperators@1.35 TopologyAwareWorkloadScheduling@1.36 TopologyManagerPolicyAlphaOptions
  UnknownVersionInteroperabilityProxy@..1.35 UserNamespacesHostNetworkSupport@1.35
  UserNamespacesPodSecurityStandards@..1.34 VolumeAttributesClass@..1.33 VolumeBindMountOptions@1.37
  VolumeLimitScaling@1.35..1.36 WatchCacheInitializationPostStartHook@..1.35
  WatchFromStorageWithoutResourceVersion@..1.35 WatchList@..1.33 WatchListClient@..1.34 WindowsCPUAndMemoryAffinity
  WindowsGracefulNodeShutdown@..1.33 WindowsHostNetwork WorkloadAwarePreemption@1.36..1.36 WorkloadWithJob@1.36
`;

/** By name: whether the feature is on by default in a version of Kubernetes, and so here. */
export function defaultFeatures(version: KubernetesVersion): ReadonlyMap<string, boolean> {
  const known = read.get(version) ?? readFeatures(version);
  read.set(version, known);
  return known;
}

/** What was read of the lists, which are long. */
const read = new Map<KubernetesVersion, ReadonlyMap<string, boolean>>();

function readFeatures(version: KubernetesVersion): ReadonlyMap<string, boolean> {
  return new Map([
    ...namesIn(ON, version).map((name) => [name, true] as const),
    ...namesIn(OFF, version).map((name) => [name, false] as const),
  ]);
}

function namesIn(text: string, version: KubernetesVersion): string[] {
  return text
    .trim()
    .split(/\s+/)
    .map(parseRanged)
    .filter(({ range }) => holdsIn(range, minorOf(version)))
    .map(({ word }) => word);
}
