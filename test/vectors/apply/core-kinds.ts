import { conditions } from './conditions.ts';
import { quantities } from './pod-parts.ts';
import type { VectorKind } from './vector-kind.ts';

export const configMap: VectorKind = {
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

export const secret: VectorKind = {
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

export const serviceAccount: VectorKind = {
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

const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

export const node: VectorKind = {
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

export const clusterRole: VectorKind = {
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

export const claim: VectorKind = {
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

export const quota: VectorKind = {
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
