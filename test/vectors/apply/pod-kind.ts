import type { Chance } from './chance.ts';
import type { VectorKind } from './vector-kind.ts';

/**
 * Pods can hardly be changed. What admission would add is there from the start, so that it does not matter which
 * admission plugins a server has.
 */
export const pod: VectorKind = {
  apiVersion: 'v1',
  kind: 'Pod',
  plural: 'pods',
  namespaced: true,
  isAppliedWhole: true,
  config: (chance: Chance) => ({
    spec: {
      containers: [
        { name: 'c1', image: chance.pick(['i:1', 'i:2']), terminationMessagePolicy: 'File' },
        { name: 'c2', image: chance.pick(['i:1', 'i:2']) },
      ],
      automountServiceAccountToken: false,
      serviceAccountName: 'default',
      serviceAccount: 'default',
      priority: 0,
      preemptionPolicy: 'PreemptLowerPriority',
      tolerations: ['not-ready', 'unreachable'].map((name) => ({
        key: `node.kubernetes.io/${name}`,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      })),
    },
  }),
  status: (chance: Chance) => ({
    status: chance.members(
      {
        conditions: () =>
          chance
            .some(['Ready', 'PodScheduled', 'x.io/gate'], 1)
            .map((type) => ({ type, status: chance.pick(['True', 'False']) })),
        phase: () => chance.pick(['Pending', 'Running']),
        podIPs: () => [{ ip: '10.0.0.7' }],
        podIP: () => '10.0.0.7',
        message: () => chance.pick(['a', 'b']),
      },
      60,
    ),
  }),
};
