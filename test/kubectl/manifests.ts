/** One valid object of every kind that is stored and served by default; namespaced ones go to the current namespace. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

const labels = { app: 'demo' };
const podSpec = { containers: [{ name: 'main', image: 'nginx:1.27', ports: [{ containerPort: 80 }] }] };
const template = { metadata: { labels }, spec: podSpec };
const selector = { matchLabels: labels };
const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] };
const webhook = {
  name: 'hook.example.com',
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  clientConfig: { url: 'https://hook.example.com/x' },
  rules: [rule],
};

export function manifests(certificateRequest: string | undefined): Manifest[] {
  const list: Manifest[] = [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'demo' }, data: { key: 'value' } },
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'demo' }, stringData: { key: 'value' } },
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo-ns' } },
    { apiVersion: 'v1', kind: 'Node', metadata: { name: 'demo' }, spec: { podCIDR: '10.244.0.0/24' } },
    { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'demo', labels }, spec: podSpec },
    { apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: 'demo' }, template },
    {
      apiVersion: 'v1',
      kind: 'ReplicationController',
      metadata: { name: 'demo' },
      spec: { selector: labels, template },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'demo' },
      spec: { selector: labels, ports: [{ port: 80 }] },
    },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'demo' } },
    {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'demo-manual' },
      subsets: [{ addresses: [{ ip: '10.0.0.9' }], ports: [{ port: 80 }] }],
    },
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: 'demo' },
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'demo' },
      reason: 'Tested',
      message: 'hello',
      type: 'Normal',
    },
    {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'demo' },
      spec: { limits: [{ type: 'Container', default: { cpu: '1' } }] },
    },
    { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'demo' }, spec: { hard: { pods: '10' } } },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'demo' },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/demo' } },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'demo' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'demo' }, spec: { selector, template } },
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'demo' }, spec: { selector, template } },
    { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'demo' }, spec: { selector, template } },
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'demo' },
      spec: { selector, template, serviceName: 'demo' },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: { name: 'demo' },
      revision: 1,
      data: { any: 'thing' },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'demo' },
      spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } },
    },
    {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'demo' },
      spec: {
        schedule: '*/5 * * * *',
        jobTemplate: { spec: { template: { spec: { ...podSpec, restartPolicy: 'Never' } } } },
      },
    },
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: { name: 'demo' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'demo' } },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'demo' },
      spec: { minAvailable: 1, selector },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: { name: 'demo' },
      spec: { defaultBackend: { service: { name: 'demo', port: { number: 80 } } } },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name: 'demo' },
      spec: { controller: 'example.com/x' },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'demo' },
      spec: { podSelector: {} },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IPAddress',
      metadata: { name: '10.0.0.99' },
      spec: { parentRef: { resource: 'services', namespace: 'default', name: 'demo' } },
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'ServiceCIDR',
      metadata: { name: 'demo' },
      spec: { cidrs: ['10.200.0.0/24'] },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'demo' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'demo' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'demo' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'demo' },
      subjects: [{ kind: 'ServiceAccount', name: 'demo', namespace: 'default' }],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'demo' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'demo' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'ada' }],
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'demo' },
      provisioner: 'example.com/disk',
    },
    { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'demo.example.com' }, spec: {} },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSINode',
      metadata: { name: 'demo' },
      spec: { drivers: [{ name: 'demo.example.com', nodeID: 'n1' }] },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'CSIStorageCapacity',
      metadata: { name: 'demo' },
      storageClassName: 'demo',
      capacity: '1Gi',
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttachment',
      metadata: { name: 'demo' },
      spec: { attacher: 'demo.example.com', nodeName: 'demo', source: { persistentVolumeName: 'demo' } },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'VolumeAttributesClass',
      metadata: { name: 'demo' },
      driverName: 'demo.example.com',
      parameters: { iops: '100' },
    },
    { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name: 'demo' }, value: 7 },
    { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'demo' }, handler: 'runc' },
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'demo' },
      spec: { holderIdentity: 'me', leaseDurationSeconds: 15 },
    },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'demo' },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.9'] }],
      ports: [{ port: 80 }],
    },
    {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'demo' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } } },
    },
    {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'demo' },
      spec: { priorityLevelConfiguration: { name: 'demo' }, matchingPrecedence: 900 },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'demo' },
      webhooks: [webhook],
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'demo' },
      webhooks: [webhook],
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicy',
      metadata: { name: 'demo' },
      spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: 'true' }] },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name: 'demo' },
      spec: { policyName: 'demo', validationActions: ['Deny'] },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: 'demo' },
      spec: {
        matchConstraints: { resourceRules: [rule] },
        reinvocationPolicy: 'Never',
        mutations: [
          {
            patchType: 'JSONPatch',
            jsonPatch: { expression: '[JSONPatch{op: "add", path: "/metadata/labels/x", value: "y"}]' },
          },
        ],
      },
    },
    {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: 'demo' },
      spec: { policyName: 'demo' },
    },
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'zones.test.com' },
      spec: {
        group: 'test.com',
        names: { kind: 'Zone', listKind: 'ZoneList', plural: 'zones', singular: 'zone' },
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    },
    {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1beta1.metrics.k8s.io' },
      spec: {
        group: 'metrics.k8s.io',
        version: 'v1beta1',
        groupPriorityMinimum: 100,
        versionPriority: 100,
        insecureSkipTLSVerify: true,
        service: { name: 'metrics-server', namespace: 'kube-system' },
      },
    },
    { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'demo' }, spec: {} },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: { name: 'demo' },
      spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'demo' } }] } },
    },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'demo' },
      spec: { spec: { devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'demo' } }] } } },
    },
    {
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceSlice',
      metadata: { name: 'demo' },
      spec: {
        driver: 'demo.example.com',
        nodeName: 'demo',
        pool: { name: 'demo', generation: 1, resourceSliceCount: 1 },
        devices: [{ name: 'dev-0' }],
      },
    },
  ];
  if (certificateRequest !== undefined) {
    list.push({
      apiVersion: 'certificates.k8s.io/v1',
      kind: 'CertificateSigningRequest',
      metadata: { name: 'demo' },
      spec: {
        request: Buffer.from(certificateRequest).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client',
        usages: ['client auth'],
      },
    });
  }
  return list;
}
