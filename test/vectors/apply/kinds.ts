import type { Chance } from './chance.ts';
import { podSpec, quantities } from './pod-parts.ts';

type Part = Record<string, unknown>;

/** A kind that is written at random: how its configurations look, and what else can be written of it. */
export interface VectorKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** A configuration that Kubernetes accepts on its own, without metadata. */
  config(chance: Chance): Part;
  /** What may be written to its status. */
  status?(chance: Chance): Part;
  readonly hasScale?: boolean;
  /** Applied whole only: what is left out is filled in by admission plugins. */
  readonly isAppliedWhole?: boolean;
  /** The same objects in another version. */
  readonly otherVersion?: { readonly apiVersion: string; config(chance: Chance): Part };
}

const SELECTOR = { matchLabels: { app: 'x' } };

function template(chance: Chance): Part {
  const labels = { app: 'x', ...chance.members({ tier: () => chance.pick(['a', 'b']) }) };
  return {
    metadata: { labels, ...chance.members({ annotations: () => ({ at: chance.pick(['1', '2']) }) }, 20) },
    spec: podSpec(chance),
  };
}

function conditions(chance: Chance, types: readonly string[]): Part[] {
  return chance.some(types, 1).map((type) => ({
    type,
    status: chance.pick(['True', 'False']),
    ...chance.members({ reason: () => chance.pick(['R1', 'R2']), message: () => 'm' }),
  }));
}

const deployment: VectorKind = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  plural: 'deployments',
  namespaced: true,
  hasScale: true,
  config: (chance) => ({
    spec: {
      selector: SELECTOR,
      template: template(chance),
      ...chance.members({
        replicas: () => chance.between(0, 4),
        minReadySeconds: () => chance.between(1, 3),
        paused: () => true,
        revisionHistoryLimit: () => chance.between(2, 4),
        strategy: () =>
          chance.pick<Part>([
            { type: 'Recreate' },
            { rollingUpdate: { maxSurge: chance.pick([1, '20%']) } },
            { type: 'RollingUpdate' },
          ]),
      }),
    },
  }),
  status: (chance) => ({
    status: chance.members(
      {
        conditions: () => conditions(chance, ['Available', 'Progressing', 'ReplicaFailure']),
        replicas: () => chance.between(1, 3),
        observedGeneration: () => 1,
      },
      60,
    ),
  }),
};

const statefulSet: VectorKind = {
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  plural: 'statefulsets',
  namespaced: true,
  hasScale: true,
  config: (chance) => ({
    spec: {
      selector: SELECTOR,
      template: template(chance),
      ...chance.members({
        serviceName: () => 'svc',
        replicas: () => chance.between(0, 4),
        minReadySeconds: () => chance.between(1, 3),
        updateStrategy: () =>
          chance.pick<Part>([
            { type: 'OnDelete' },
            { type: 'RollingUpdate', rollingUpdate: { partition: chance.between(0, 2) } },
          ]),
        persistentVolumeClaimRetentionPolicy: () => ({ whenDeleted: chance.pick(['Delete', 'Retain']) }),
      }),
    },
  }),
  status: (chance) => ({
    status: {
      replicas: chance.between(0, 3),
      ...chance.members({ conditions: () => conditions(chance, ['A', 'B', 'C']) }),
    },
  }),
};

const service: VectorKind = {
  apiVersion: 'v1',
  kind: 'Service',
  plural: 'services',
  namespaced: true,
  config: (chance) => ({
    spec: {
      clusterIP: 'None',
      selector: { app: chance.pick(['x', 'y']), ...chance.members({ tier: () => 'a' }) },
      ports: chance
        .some<Part>(
          [
            { name: 'a', port: 80 },
            { name: 'b', port: 80, protocol: 'UDP' },
            { name: 'c', port: 443, protocol: 'TCP', targetPort: chance.pick([8443, 'https']) },
          ],
          1,
        )
        .map((port) => ({ ...port, ...chance.members({ appProtocol: () => chance.pick(['http', 'grpc']) }, 25) })),
      ...chance.members({
        sessionAffinity: () => chance.pick(['None', 'ClientIP']),
        publishNotReadyAddresses: () => true,
        externalIPs: () => chance.some(['10.1.1.1', '10.1.1.2'], 1),
        internalTrafficPolicy: () => chance.pick(['Local', 'Cluster']),
      }),
    },
  }),
};

const configMap: VectorKind = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  namespaced: true,
  config: (chance) => ({
    ...chance.members(
      {
        data: () =>
          chance.members(
            { a: () => chance.pick(['1', '2']), b: () => chance.pick(['1', '2']), c: () => '', 'd.e-f': () => 'x\ny' },
            60,
          ),
        binaryData: () => chance.members({ x: () => 'AAEC', y: () => chance.pick(['eA==', 'eQ==']) }, 60),
      },
      70,
    ),
  }),
};

const secret: VectorKind = {
  apiVersion: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  config: (chance) => ({
    ...chance.members({
      data: () => chance.members({ x: () => 'AAEC', y: () => chance.pick(['eA==', 'eQ==']) }, 60),
      stringData: () => ({ x: chance.pick(['p', 'q']) }),
    }),
  }),
};

const serviceAccount: VectorKind = {
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
  config: (chance) =>
    chance.members({
      secrets: () =>
        chance.some(['a', 'b', 'c'], 1).map((name) => ({ name, ...chance.members({ namespace: () => 'n' }, 20) })),
      imagePullSecrets: () => chance.some(['p', 'q', 'r'], 1).map((name) => ({ name })),
      automountServiceAccountToken: () => chance.percent(50),
    }),
};

const podTemplate: VectorKind = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  config: (chance) => ({ template: template(chance) }),
};

const NETWORK_PEER = { podSelector: { matchLabels: { a: 'b' } } };

const networkPolicy: VectorKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  namespaced: true,
  config: (chance) => ({
    spec: {
      podSelector: { matchLabels: { app: chance.pick(['x', 'y']) } },
      ...chance.members({
        ingress: () => [
          {
            ...chance.members({
              from: () => [NETWORK_PEER],
              ports: () => [{ port: chance.pick([80, 'http']), protocol: 'TCP' }],
            }),
          },
        ],
        egress: () => [{ to: [NETWORK_PEER] }],
        policyTypes: () => chance.some(['Ingress', 'Egress'], 1),
      }),
    },
  }),
};

const backend = (name: string): Part => ({ service: { name, port: { number: 80 } } });

const ingress: VectorKind = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  plural: 'ingresses',
  namespaced: true,
  config: (chance) => ({
    spec: {
      defaultBackend: backend(chance.pick(['s1', 's2'])),
      ...chance.members({
        ingressClassName: () => chance.pick(['c1', 'c2']),
        rules: () =>
          chance
            .some(['a.io', 'b.io'], 1)
            .map((host) => ({ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: backend('s') }] } })),
        tls: () => [{ hosts: chance.some(['a.io', 'b.io'], 1), secretName: 't' }],
      }),
    },
  }),
  status: (chance) => ({
    status: { loadBalancer: { ingress: chance.some(['1.1.1.1', '2.2.2.2'], 1).map((ip) => ({ ip })) } },
  }),
};

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

const node: VectorKind = {
  apiVersion: 'v1',
  kind: 'Node',
  plural: 'nodes',
  namespaced: false,
  config: (chance) => ({
    spec: {
      taints: [
        NOT_READY,
        ...chance.some(['k1', 'k2']).map((key) => ({ key, effect: chance.pick(['NoExecute', 'NoSchedule']) })),
      ],
      ...chance.members(
        { unschedulable: () => true, podCIDR: () => '10.2.0.0/24', podCIDRs: () => ['10.2.0.0/24'] },
        25,
      ),
    },
  }),
  status: (chance) => ({
    status: chance.members(
      {
        conditions: () => conditions(chance, ['Ready', 'MemoryPressure', 'DiskPressure']),
        addresses: () =>
          chance.some(
            [
              { type: 'InternalIP', address: chance.pick(['10.0.0.1', '10.0.0.2']) },
              { type: 'Hostname', address: 'h' },
            ],
            1,
          ),
        capacity: () => quantities(chance),
        allocatable: () => ({ ...quantities(chance), 'x.io/d': '2' }),
        images: () => [{ names: ['a'], sizeBytes: chance.between(1, 3) }],
      },
      60,
    ),
  }),
};

const clusterRole: VectorKind = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  namespaced: false,
  config: (chance) => ({
    rules: chance
      .some(['pods', 'secrets', 'nodes'], 1)
      .map((resource) => ({ apiGroups: [''], resources: [resource], verbs: chance.some(['get', 'list'], 1) })),
    ...chance.members(
      { aggregationRule: () => ({ clusterRoleSelectors: [{ matchLabels: { a: chance.pick(['b', 'c']) } }] }) },
      15,
    ),
  }),
};

const claim: VectorKind = {
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  plural: 'persistentvolumeclaims',
  namespaced: true,
  config: () => ({
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName: 'sc',
      volumeMode: 'Filesystem',
    },
  }),
  status: (chance) => ({
    status: {
      phase: chance.pick(['Pending', 'Bound', 'Lost']),
      ...chance.members({
        conditions: () => conditions(chance, ['Resizing', 'X', 'Y']),
        capacity: () => ({ storage: chance.pick(['1Gi', '2Gi']) }),
        accessModes: () => ['ReadWriteOnce'],
      }),
    },
  }),
};

const quota: VectorKind = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  plural: 'resourcequotas',
  namespaced: true,
  config: (chance) => ({
    spec: {
      hard: {
        pods: String(chance.between(50, 52)),
        ...chance.members({ secrets: () => '100', configmaps: () => '90' }),
      },
    },
  }),
  status: (chance) => ({ status: { hard: { pods: '50' }, used: { pods: String(chance.between(1, 3)) } } }),
};

const autoscaler: VectorKind = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  plural: 'horizontalpodautoscalers',
  namespaced: true,
  config: (chance) => ({
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: chance.pick(['d1', 'd2']) },
      maxReplicas: chance.between(5, 8),
      ...chance.members({
        minReplicas: () => chance.between(1, 3),
        metrics: () => [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: chance.between(50, 52) } },
          },
        ],
        behavior: () => ({
          scaleDown: {
            stabilizationWindowSeconds: chance.between(1, 3),
            selectPolicy: 'Max',
            policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
          },
        }),
      }),
    },
  }),
  otherVersion: {
    apiVersion: 'autoscaling/v1',
    config: (chance) => ({
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: chance.pick(['d1', 'd2']) },
        maxReplicas: chance.between(5, 8),
        ...chance.members({
          minReplicas: () => chance.between(1, 3),
          targetCPUUtilizationPercentage: () => chance.between(50, 52),
        }),
      },
    }),
  },
};

export const vectorKinds: readonly VectorKind[] = [
  deployment,
  statefulSet,
  service,
  configMap,
  secret,
  serviceAccount,
  podTemplate,
  networkPolicy,
  ingress,
  node,
  clusterRole,
  claim,
  quota,
  autoscaler,
];
