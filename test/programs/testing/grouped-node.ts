// A node with one pod, whose figures are given by the test.
import { CONTAINER_NAME, type Machine, POD_UID } from '../../../src/node/index.ts';
import type { GroupedNode } from '../../../src/node/server/used-groups.ts';
import { TEST_MACHINE } from '../../../src/node/testing/test-machine.ts';

export const MACHINE: Machine = { ...TEST_MACHINE, cgroupDriver: 'cgroupfs' };

const labels = { [POD_UID]: '1' };
const pod = {
  metadata: { name: 'web', namespace: 'default', uid: '1' },
  spec: { containers: [{ name: 'main', image: 'web', resources: { requests: { cpu: '100m' } } }] },
};

export const GROUPED = {
  settings: { name: 'node' },
  startedAtMs: 0,
  pods: () => [pod],
  usage: () => Promise.reject(new Error('usage is not read where there are cgroups')),
  backend: {
    runtime: {
      listPodSandbox: async () => [{ id: 'sandbox1', labels }],
      listContainers: async () => [
        { id: 'container1', labels: { ...labels, [CONTAINER_NAME]: 'main' }, image: { image: 'web' } },
      ],
    },
  },
} as unknown as GroupedNode;
