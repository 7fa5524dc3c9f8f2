import type { Chance } from './chance.ts';
import { conditions } from './conditions.ts';
import { podSpec } from './pod-parts.ts';
import type { Part, VectorKind } from './vector-kind.ts';

const SELECTOR = { matchLabels: { app: 'x' } };

function template(chance: Chance): Part {
  const labels = { app: 'x', ...chance.members({ tier: () => chance.pick(['a', 'b']) }) };
  return {
    metadata: { labels, ...chance.members({ annotations: () => ({ at: chance.pick(['1', '2']) }) }, 20) },
    spec: podSpec(chance),
  };
}

export const deployment: VectorKind = {
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

export const statefulSet: VectorKind = {
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

export const podTemplate: VectorKind = {
  apiVersion: 'v1',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  namespaced: true,
  config: (chance) => ({ template: template(chance) }),
};

export const autoscaler: VectorKind = {
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
