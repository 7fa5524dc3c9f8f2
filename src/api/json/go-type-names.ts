/**
 * Names of Go types that Kubernetes' decoding errors show and that do not follow from the tables: under each package a
 * line a struct, with `field=type` for fields of a named type and `number<name>` for the structs embedded in it (by their
 * protobuf number).
 */
export const goTypeNames: string = `
io.k8s.api.admission.v1
  AdmissionRequest uid=types.UID operation=v1.Operation
  AdmissionResponse uid=types.UID patchType=v1.PatchType
io.k8s.api.admissionregistration.v1
  MutatingAdmissionPolicySpec failurePolicy=v1.FailurePolicyType reinvocationPolicy=v1.ReinvocationPolicyType
  MatchResources matchPolicy=v1.MatchPolicyType
  NamedRuleWithOperations 2<RuleWithOperations 2.2<Rule operations=[]v1.OperationType scope=v1.ScopeType
  Mutation patchType=v1.PatchType
  ParamRef parameterNotFoundAction=v1.ParameterNotFoundActionType
  MutatingWebhook failurePolicy=v1.FailurePolicyType matchPolicy=v1.MatchPolicyType sideEffects=v1.SideEffectClass reinvocationPolicy=v1.ReinvocationPolicyType
  RuleWithOperations 2<Rule operations=[]v1.OperationType scope=v1.ScopeType
  ValidatingAdmissionPolicySpec failurePolicy=v1.FailurePolicyType
  Validation reason=v1.StatusReason
  ValidatingAdmissionPolicyBindingSpec validationActions=[]v1.ValidationAction
  ValidatingWebhook failurePolicy=v1.FailurePolicyType matchPolicy=v1.MatchPolicyType sideEffects=v1.SideEffectClass
io.k8s.api.admissionregistration.v1alpha1
  MutatingAdmissionPolicySpec failurePolicy=v1alpha1.FailurePolicyType reinvocationPolicy=v1.ReinvocationPolicyType
  MatchResources matchPolicy=v1alpha1.MatchPolicyType
  NamedRuleWithOperations 2<RuleWithOperations 2.2<Rule operations=[]v1.OperationType scope=v1.ScopeType
  Mutation patchType=v1alpha1.PatchType
  ParamRef parameterNotFoundAction=v1alpha1.ParameterNotFoundActionType
io.k8s.api.admissionregistration.v1beta1
  MutatingAdmissionPolicySpec failurePolicy=v1beta1.FailurePolicyType reinvocationPolicy=v1.ReinvocationPolicyType
  MatchResources matchPolicy=v1beta1.MatchPolicyType
  NamedRuleWithOperations 2<RuleWithOperations 2.2<Rule operations=[]v1.OperationType scope=v1.ScopeType
  Mutation patchType=v1beta1.PatchType
  ParamRef parameterNotFoundAction=v1beta1.ParameterNotFoundActionType
io.k8s.api.apidiscovery.v2
  APIVersionDiscovery freshness=v2.DiscoveryFreshness
  APIResourceDiscovery scope=v2.ResourceScope
io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
  CustomResourceDefinitionSpec scope=v1.ResourceScope
  JSONSchemaProps $schema=v1.JSONSchemaURL dependencies=v1.JSONSchemaDependencies definitions=v1.JSONSchemaDefinitions x-kubernetes-validations=v1.ValidationRules
  ValidationRule reason=v1.FieldValueErrorReason
  CustomResourceConversion strategy=v1.ConversionStrategyType
  CustomResourceDefinitionCondition type=v1.CustomResourceDefinitionConditionType status=v1.ConditionStatus
  ConversionRequest uid=types.UID
  ConversionResponse uid=types.UID
io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
  APIServiceCondition type=v1.APIServiceConditionType status=v1.ConditionStatus
io.k8s.api.apiserverinternal.v1alpha1
  StorageVersionCondition type=v1alpha1.StorageVersionConditionType status=v1alpha1.ConditionStatus
io.k8s.api.apps.v1
  DaemonSetUpdateStrategy type=v1.DaemonSetUpdateStrategyType
  DaemonSetCondition type=v1.DaemonSetConditionType status=v1.ConditionStatus
  DeploymentStrategy type=v1.DeploymentStrategyType
  DeploymentCondition type=v1.DeploymentConditionType status=v1.ConditionStatus
  ReplicaSetCondition type=v1.ReplicaSetConditionType status=v1.ConditionStatus
  StatefulSetSpec podManagementPolicy=v1.PodManagementPolicyType
  StatefulSetUpdateStrategy type=v1.StatefulSetUpdateStrategyType
  StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted=v1.PersistentVolumeClaimRetentionPolicyType whenScaled=v1.PersistentVolumeClaimRetentionPolicyType
  StatefulSetCondition type=v1.StatefulSetConditionType status=v1.ConditionStatus
io.k8s.api.authentication.v1
  UserInfo extra=map[string]v1.ExtraValue
  BoundObjectReference uid=types.UID
io.k8s.api.authorization.v1
  SubjectAccessReviewSpec extra=map[string]v1.ExtraValue
io.k8s.api.autoscaling.v2
  MetricSpec type=v2.MetricSourceType
  MetricTarget type=v2.MetricTargetType
  ResourceMetricSource name=v1.ResourceName
  ContainerResourceMetricSource name=v1.ResourceName
  HPAScalingRules selectPolicy=v2.ScalingPolicySelect
  HPAScalingPolicy type=v2.HPAScalingPolicyType
  MetricStatus type=v2.MetricSourceType
  ResourceMetricStatus name=v1.ResourceName
  ContainerResourceMetricStatus name=v1.ResourceName
  HorizontalPodAutoscalerCondition type=v2.HorizontalPodAutoscalerConditionType status=v1.ConditionStatus
io.k8s.api.batch.v1
  CronJobSpec concurrencyPolicy=v1.ConcurrencyPolicy
  JobSpec completionMode=v1.CompletionMode podReplacementPolicy=v1.PodReplacementPolicy
  PodFailurePolicyRule action=v1.PodFailurePolicyAction
  PodFailurePolicyOnExitCodesRequirement operator=v1.PodFailurePolicyOnExitCodesOperator
  PodFailurePolicyOnPodConditionsPattern type=v1.PodConditionType status=v1.ConditionStatus
  JobCondition type=v1.JobConditionType status=v1.ConditionStatus
  UncountedTerminatedPods succeeded=[]types.UID failed=[]types.UID
io.k8s.api.certificates.v1
  CertificateSigningRequestSpec usages=[]v1.KeyUsage extra=map[string]v1.ExtraValue
  CertificateSigningRequestCondition type=v1.RequestConditionType status=v1.ConditionStatus
io.k8s.api.certificates.v1beta1
  PodCertificateRequestSpec podUID=types.UID serviceAccountUID=types.UID nodeName=types.NodeName nodeUID=types.UID
io.k8s.api.coordination.v1
  LeaseSpec strategy=v1.CoordinatedLeaseStrategy
io.k8s.api.coordination.v1alpha2
  LeaseCandidateSpec strategy=v1.CoordinatedLeaseStrategy
io.k8s.api.coordination.v1beta1
  LeaseCandidateSpec strategy=v1.CoordinatedLeaseStrategy
io.k8s.api.core.v1
  ObjectReference uid=types.UID
  ComponentCondition type=v1.ComponentConditionType status=v1.ConditionStatus
  EndpointPort protocol=v1.Protocol
  LimitRangeItem type=v1.LimitType max=v1.ResourceList min=v1.ResourceList default=v1.ResourceList defaultRequest=v1.ResourceList maxLimitRequestRatio=v1.ResourceList
  NamespaceSpec finalizers=[]v1.FinalizerName
  NamespaceStatus phase=v1.NamespacePhase
  NamespaceCondition type=v1.NamespaceConditionType status=v1.ConditionStatus
  Taint effect=v1.TaintEffect
  ConfigMapNodeConfigSource uid=types.UID
  NodeStatus capacity=v1.ResourceList allocatable=v1.ResourceList phase=v1.NodePhase volumesInUse=[]v1.UniqueVolumeName
  NodeCondition type=v1.NodeConditionType status=v1.ConditionStatus
  NodeAddress type=v1.NodeAddressType
  AttachedVolume name=v1.UniqueVolumeName
  PersistentVolumeClaimSpec accessModes=[]v1.PersistentVolumeAccessMode volumeMode=v1.PersistentVolumeMode
  VolumeResourceRequirements limits=v1.ResourceList requests=v1.ResourceList
  PersistentVolumeClaimStatus phase=v1.PersistentVolumeClaimPhase accessModes=[]v1.PersistentVolumeAccessMode capacity=v1.ResourceList allocatedResources=v1.ResourceList allocatedResourceStatuses=map[v1.ResourceName]v1.ClaimResourceStatus
  PersistentVolumeClaimCondition type=v1.PersistentVolumeClaimConditionType status=v1.ConditionStatus
  ModifyVolumeStatus status=v1.PersistentVolumeClaimModifyVolumeStatus
  PersistentVolumeSpec 2<PersistentVolumeSource capacity=v1.ResourceList accessModes=[]v1.PersistentVolumeAccessMode persistentVolumeReclaimPolicy=v1.PersistentVolumeReclaimPolicy volumeMode=v1.PersistentVolumeMode
  HostPathVolumeSource type=v1.HostPathType
  AzureDiskVolumeSource cachingMode=v1.AzureDataDiskCachingMode kind=v1.AzureDataDiskKind
  NodeSelectorRequirement operator=v1.NodeSelectorOperator
  PersistentVolumeStatus phase=v1.PersistentVolumePhase
  PodSpec restartPolicy=v1.RestartPolicy dnsPolicy=v1.DNSPolicy preemptionPolicy=v1.PreemptionPolicy overhead=v1.ResourceList
  Volume 2<VolumeSource
  EmptyDirVolumeSource medium=v1.StorageMedium
  ConfigMapVolumeSource 1<LocalObjectReference
  SecretProjection 1<LocalObjectReference
  ConfigMapProjection 1<LocalObjectReference
  ImageVolumeSource pullPolicy=v1.PullPolicy
  Container restartPolicy=v1.ContainerRestartPolicy terminationMessagePolicy=v1.TerminationMessagePolicy imagePullPolicy=v1.PullPolicy
  ContainerPort protocol=v1.Protocol
  ConfigMapEnvSource 1<LocalObjectReference
  SecretEnvSource 1<LocalObjectReference
  ConfigMapKeySelector 1<LocalObjectReference
  SecretKeySelector 1<LocalObjectReference
  ResourceRequirements limits=v1.ResourceList requests=v1.ResourceList
  ContainerResizePolicy resourceName=v1.ResourceName restartPolicy=v1.ResourceResizeRestartPolicy
  ContainerRestartRule action=v1.ContainerRestartRuleAction
  ContainerRestartRuleOnExitCodes operator=v1.ContainerRestartRuleOnExitCodesOperator
  VolumeMount recursiveReadOnly=v1.RecursiveReadOnlyMode mountPropagation=v1.MountPropagationMode
  Probe 1<ProbeHandler
  HTTPGetAction scheme=v1.URIScheme
  Lifecycle stopSignal=v1.Signal
  SecurityContext procMount=v1.ProcMountType
  Capabilities add=[]v1.Capability drop=[]v1.Capability
  SeccompProfile type=v1.SeccompProfileType
  AppArmorProfile type=v1.AppArmorProfileType
  EphemeralContainer 1<EphemeralContainerCommon restartPolicy=v1.ContainerRestartPolicy terminationMessagePolicy=v1.TerminationMessagePolicy imagePullPolicy=v1.PullPolicy
  PodSecurityContext supplementalGroupsPolicy=v1.SupplementalGroupsPolicy fsGroupChangePolicy=v1.PodFSGroupChangePolicy seLinuxChangePolicy=v1.PodSELinuxChangePolicy
  Toleration operator=v1.TolerationOperator effect=v1.TaintEffect
  PodReadinessGate conditionType=v1.PodConditionType
  TopologySpreadConstraint whenUnsatisfiable=v1.UnsatisfiableConstraintAction nodeAffinityPolicy=v1.NodeInclusionPolicy nodeTaintsPolicy=v1.NodeInclusionPolicy
  PodOS name=v1.OSName
  PodStatus phase=v1.PodPhase qosClass=v1.PodQOSClass resize=v1.PodResizeStatus allocatedResources=v1.ResourceList
  PodCondition type=v1.PodConditionType status=v1.ConditionStatus
  ContainerStatus allocatedResources=v1.ResourceList stopSignal=v1.Signal
  VolumeMountStatus recursiveReadOnly=v1.RecursiveReadOnlyMode
  ResourceStatus name=v1.ResourceName
  ResourceHealth resourceID=v1.ResourceID health=v1.ResourceHealthStatus
  NodeAllocatableResourceClaimStatus resources=map[v1.ResourceName]resource.Quantity
  ReplicationControllerCondition type=v1.ReplicationControllerConditionType status=v1.ConditionStatus
  ResourceQuotaSpec hard=v1.ResourceList scopes=[]v1.ResourceQuotaScope
  ScopedResourceSelectorRequirement scopeName=v1.ResourceQuotaScope operator=v1.ScopeSelectorOperator
  ResourceQuotaStatus hard=v1.ResourceList used=v1.ResourceList
  Secret type=v1.SecretType
  ServiceSpec type=v1.ServiceType sessionAffinity=v1.ServiceAffinity externalTrafficPolicy=v1.ServiceExternalTrafficPolicy ipFamilies=[]v1.IPFamily ipFamilyPolicy=v1.IPFamilyPolicy internalTrafficPolicy=v1.ServiceInternalTrafficPolicy
  ServicePort protocol=v1.Protocol
  LoadBalancerIngress ipMode=v1.LoadBalancerIPMode
  PortStatus protocol=v1.Protocol
io.k8s.api.discovery.v1
  EndpointSlice addressType=v1.AddressType
  EndpointPort protocol=v1.Protocol
io.k8s.api.flowcontrol.v1
  FlowDistinguisherMethod type=v1.FlowDistinguisherMethodType
  Subject kind=v1.SubjectKind
  FlowSchemaCondition type=v1.FlowSchemaConditionType status=v1.ConditionStatus
  PriorityLevelConfigurationSpec type=v1.PriorityLevelEnablement
  LimitResponse type=v1.LimitResponseType
  PriorityLevelConfigurationCondition type=v1.PriorityLevelConfigurationConditionType status=v1.ConditionStatus
io.k8s.apimachinery.pkg.apis.meta.v1
  APIResource verbs=v1.Verbs
  Condition status=v1.ConditionStatus
  DeleteOptions propagationPolicy=v1.DeletionPropagation
  Preconditions uid=types.UID
  FieldSelectorRequirement operator=v1.FieldSelectorOperator
  LabelSelectorRequirement operator=v1.LabelSelectorOperator
  ListOptions resourceVersionMatch=v1.ResourceVersionMatch
  ManagedFieldsEntry operation=v1.ManagedFieldsOperationType
  ObjectMeta uid=types.UID
  OwnerReference uid=types.UID
  Status reason=v1.StatusReason
  StatusDetails uid=types.UID
  StatusCause reason=v1.CauseType
  TableRow cells=[]interface {}
  TableRowCondition type=v1.RowConditionType status=v1.ConditionStatus
io.k8s.api.networking.v1
  IngressRule 2<IngressRuleValue
  HTTPIngressPath pathType=v1.PathType
  IngressPortStatus protocol=v1.Protocol
  NetworkPolicySpec policyTypes=[]v1.PolicyType
  NetworkPolicyPort protocol=v1.Protocol
io.k8s.api.node.v1
  Overhead podFixed=v1.ResourceList
io.k8s.api.policy.v1
  PodDisruptionBudgetSpec unhealthyPodEvictionPolicy=v1.UnhealthyPodEvictionPolicyType
io.k8s.api.resource.v1
  DeviceClassConfiguration 1<DeviceConfiguration
  ExactDeviceRequest allocationMode=v1.DeviceAllocationMode
  DeviceToleration operator=v1.DeviceTolerationOperator effect=v1.DeviceTaintEffect
  CapacityRequirements requests=map[v1.QualifiedName]resource.Quantity
  DeviceSubRequest allocationMode=v1.DeviceAllocationMode
  DeviceConstraint matchAttribute=v1.FullyQualifiedName distinctAttribute=v1.FullyQualifiedName
  DeviceClaimConfiguration 2<DeviceConfiguration
  DeviceRequestAllocationResult shareID=types.UID consumedCapacity=map[v1.QualifiedName]resource.Quantity
  DeviceAllocationConfiguration 3<DeviceConfiguration source=v1.AllocationConfigSource
  ResourceClaimConsumerReference uid=types.UID
  Device attributes=map[v1.QualifiedName]v1.DeviceAttribute capacity=map[v1.QualifiedName]v1.DeviceCapacity nodeAllocatableResourceMappings=map[v1.ResourceName]v1.NodeAllocatableResourceMapping
  DeviceTaint effect=v1.DeviceTaintEffect
  NodeAllocatableResourceMapping capacityKey=v1.QualifiedName
io.k8s.api.resource.v1alpha3
  DeviceTaint effect=v1alpha3.DeviceTaintEffect
io.k8s.api.resource.v1beta1
  DeviceClassConfiguration 1<DeviceConfiguration
  DeviceRequest allocationMode=v1beta1.DeviceAllocationMode
  DeviceSubRequest allocationMode=v1beta1.DeviceAllocationMode
  DeviceToleration operator=v1beta1.DeviceTolerationOperator effect=v1beta1.DeviceTaintEffect
  CapacityRequirements requests=map[v1beta1.QualifiedName]resource.Quantity
  DeviceConstraint matchAttribute=v1beta1.FullyQualifiedName distinctAttribute=v1beta1.FullyQualifiedName
  DeviceClaimConfiguration 2<DeviceConfiguration
  DeviceRequestAllocationResult shareID=types.UID consumedCapacity=map[v1beta1.QualifiedName]resource.Quantity
  DeviceAllocationConfiguration 3<DeviceConfiguration source=v1beta1.AllocationConfigSource
  ResourceClaimConsumerReference uid=types.UID
  BasicDevice attributes=map[v1beta1.QualifiedName]v1beta1.DeviceAttribute capacity=map[v1beta1.QualifiedName]v1beta1.DeviceCapacity nodeAllocatableResourceMappings=map[v1.ResourceName]v1beta1.NodeAllocatableResourceMapping
  DeviceTaint effect=v1beta1.DeviceTaintEffect
  NodeAllocatableResourceMapping capacityKey=v1beta1.QualifiedName
io.k8s.api.resource.v1beta2
  DeviceClassConfiguration 1<DeviceConfiguration
  DeviceTaint effect=v1beta2.DeviceTaintEffect
  ExactDeviceRequest allocationMode=v1beta2.DeviceAllocationMode
  DeviceToleration operator=v1beta2.DeviceTolerationOperator effect=v1beta2.DeviceTaintEffect
  CapacityRequirements requests=map[v1beta2.QualifiedName]resource.Quantity
  DeviceSubRequest allocationMode=v1beta2.DeviceAllocationMode
  DeviceConstraint matchAttribute=v1beta2.FullyQualifiedName distinctAttribute=v1beta2.FullyQualifiedName
  DeviceClaimConfiguration 2<DeviceConfiguration
  DeviceRequestAllocationResult shareID=types.UID consumedCapacity=map[v1beta2.QualifiedName]resource.Quantity
  DeviceAllocationConfiguration 3<DeviceConfiguration source=v1beta2.AllocationConfigSource
  ResourceClaimConsumerReference uid=types.UID
  Device attributes=map[v1beta2.QualifiedName]v1beta2.DeviceAttribute capacity=map[v1beta2.QualifiedName]v1beta2.DeviceCapacity nodeAllocatableResourceMappings=map[v1.ResourceName]v1beta2.NodeAllocatableResourceMapping
  NodeAllocatableResourceMapping capacityKey=v1beta2.QualifiedName
io.k8s.api.scheduling.v1
  PriorityClass preemptionPolicy=v1.PreemptionPolicy
io.k8s.api.scheduling.v1alpha2
  PodGroupSpec disruptionMode=v1alpha2.DisruptionMode
  PodGroupTemplate disruptionMode=v1alpha2.DisruptionMode
io.k8s.api.storage.v1
  CSIDriverSpec volumeLifecycleModes=[]v1.VolumeLifecycleMode fsGroupPolicy=v1.FSGroupPolicy
  StorageClass reclaimPolicy=v1.PersistentVolumeReclaimPolicy volumeBindingMode=v1.VolumeBindingMode
`;
