/**
 * The order in which upstream checks the fields of a type, where it is not the order of declaration; fields that are
 * not named here come at the `*`, or last.
 */
export const checkedFirst: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    PodSpec:
      'terminationGracePeriodSeconds volumes resourceClaims containers initContainers ephemeralContainers resources ' +
      'hostNetwork restartPolicy dnsPolicy nodeSelector securityContext imagePullSecrets affinity dnsConfig ' +
      'readinessGates schedulingGates topologySpreadConstraints hostUsers serviceAccountName nodeName ' +
      'activeDeadlineSeconds hostname subdomain tolerations hostAliases priorityClassName runtimeClassName ' +
      'preemptionPolicy overhead os',
    Volume: '* name',
    SecretVolumeSource: 'secretName defaultMode items',
    ConfigMapVolumeSource: 'name defaultMode items',
    ServiceReference: 'name namespace port path',
    ControllerRevision: 'revision data',
    Container:
      'name image terminationMessagePolicy ports env envFrom volumeMounts volumeDevices imagePullPolicy resources ' +
      'resizePolicy securityContext lifecycle livenessProbe readinessProbe startupProbe restartPolicy',
    Probe:
      'exec httpGet tcpSocket grpc initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold',
    ContainerPort: 'name containerPort hostPort protocol',
    ResourceRequirements: 'limits requests claims',
    SecurityContext: 'privileged runAsUser runAsGroup procMount seccompProfile',
    PodSecurityContext:
      'fsGroup runAsUser runAsGroup supplementalGroups shareProcessNamespace sysctls fsGroupChangePolicy ' +
      'seccompProfile windowsOptions appArmorProfile supplementalGroupsPolicy seLinuxChangePolicy',
    TopologySpreadConstraint:
      'maxSkew topologyKey whenUnsatisfiable {topologyKey, whenUnsatisfiable} minDomains nodeAffinityPolicy ' +
      'nodeTaintsPolicy matchLabelKeys labelSelector',
    NodeSelectorRequirement: 'values operator key',
    TopologySelectorLabelRequirement: 'values key',

    DeploymentSpec: 'replicas selector template strategy minReadySeconds revisionHistoryLimit',
    ReplicaSetSpec: 'replicas minReadySeconds',
    DaemonSetSpec: 'selector template minReadySeconds updateStrategy',
    StatefulSetSpec:
      'podManagementPolicy updateStrategy persistentVolumeClaimRetentionPolicy volumeClaimTemplates replicas ' +
      'minReadySeconds ordinals serviceName selector template',
    ReplicationControllerSpec: 'minReadySeconds selector replicas template',
    JobSpec:
      'parallelism completions activeDeadlineSeconds backoffLimit ttlSecondsAfterFinished backoffLimitPerIndex ' +
      'maxFailedIndexes managedBy completionMode podFailurePolicy successPolicy podReplacementPolicy template selector',
    CronJobSpec: 'schedule startingDeadlineSeconds timeZone concurrencyPolicy jobTemplate',

    ServiceSpec:
      'ports clusterIPs ipFamilies ipFamilyPolicy externalName selector sessionAffinity sessionAffinityConfig ' +
      'externalIPs type loadBalancerSourceRanges',
    ServicePort: 'name port protocol targetPort appProtocol',
    PersistentVolumeSpec:
      'claimRef accessModes capacity persistentVolumeReclaimPolicy nodeAffinity hostPath gcePersistentDisk ' +
      'awsElasticBlockStore glusterfs flocker nfs rbd quobyte cephfs iscsi cinder fc flexVolume azureFile ' +
      'vsphereVolume photonPersistentDisk portworxVolume azureDisk scaleIO local storageos csi storageClassName',
    PersistentVolumeClaimSpec: 'selector accessModes resources',
    EndpointPort: 'name port protocol appProtocol',
    LimitRangeItem: 'type max min default defaultRequest limits',

    NetworkPolicyIngressRule: 'ports from',
    IngressSpec: 'defaultBackend rules tls ingressClassName',
    HTTPIngressPath: 'pathType path backend',
    HorizontalPodAutoscalerSpec: 'minReplicas maxReplicas scaleTargetRef metrics behavior',
    CrossVersionObjectReference: 'kind name apiVersion',
    HPAScalingRules: 'stabilizationWindowSeconds selectPolicy policies',
    PodDisruptionBudgetSpec: 'minAvailable maxUnavailable',
    StorageClass: 'provisioner parameters reclaimPolicy volumeBindingMode allowedTopologies',
    CSIDriverSpec: 'attachRequired podInfoOnMount storageCapacity fsGroupPolicy tokenRequests volumeLifecycleModes',
    CSINodeDriver: 'name nodeID allocatable topologyKeys',
    VolumeAttachmentSpec: 'attacher source nodeName',
    CertificateSigningRequestSpec: 'request usages signerName expirationSeconds',

    ValidatingWebhook:
      'admissionReviewVersions name rules failurePolicy matchPolicy sideEffects timeoutSeconds namespaceSelector ' +
      'objectSelector clientConfig',
    MutatingWebhook:
      'admissionReviewVersions name rules failurePolicy matchPolicy sideEffects timeoutSeconds namespaceSelector ' +
      'objectSelector reinvocationPolicy clientConfig',
    RuleWithOperations: 'operations apiGroups apiVersions resources scope',
    MatchResources: 'matchPolicy namespaceSelector objectSelector resourceRules',
    ValidatingAdmissionPolicySpec: 'failurePolicy paramKind matchConstraints matchConditions variables validations',
    MutatingAdmissionPolicySpec: 'failurePolicy paramKind matchConstraints matchConditions variables mutations',

    FlowSchemaSpec: 'matchingPrecedence distinguisherMethod priorityLevelConfiguration rules',
    PriorityLevelConfigurationSpec: 'type limited exempt',
    LimitedPriorityLevelConfiguration: 'nominalConcurrencyShares limitResponse lendablePercent borrowingLimitPercent',
    QueuingConfiguration: 'queueLengthLimit queues handSize',
    EndpointSlice: 'addressType ports endpoints',
    Endpoint: 'addresses nodeName deprecatedTopology hostname hints',
    LeaseSpec: 'leaseDurationSeconds leaseTransitions strategy preferredHolder',
    RuntimeClass: 'handler overhead scheduling',
    CustomResourceDefinitionSpec: 'group scope versions names',
    APIServiceSpec: 'group version groupPriorityMinimum versionPriority service',
  }).map(([type, fields]) => [type, fields.match(/\{[^}]*\}|\S+/g) ?? []]),
);
