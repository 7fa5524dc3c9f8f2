import type { ScenarioTopic } from '../../../src/controllers/testing/scenarios/index.ts';

/** Where the scenarios are, by the folder of src/controllers. */
export const topics: Readonly<Record<string, () => Promise<{ readonly topic: ScenarioTopic }>>> = {
  'attach-detach': () => import('../../../src/controllers/attach-detach/testing/scenarios.ts'),
  'volume-expand': () => import('../../../src/controllers/volume-expand/testing/scenarios.ts'),
  'ephemeral-volume': () => import('../../../src/controllers/ephemeral-volume/testing/scenarios.ts'),
  'node-ipam': () => import('../../../src/controllers/node-ipam/testing/scenarios.ts'),
  'persistent-volumes': () => import('../../../src/controllers/persistent-volumes/testing/scenarios.ts'),
  'device-taint-eviction': () => import('../../../src/controllers/device-taint-eviction/testing/scenarios.ts'),
  'resource-claim': () => import('../../../src/controllers/resource-claim/testing/scenarios.ts'),
  'service-cidr': () => import('../../../src/controllers/service-cidr/testing/scenarios.ts'),
  daemonset: () => import('../../../src/controllers/daemonset/testing/scenarios.ts'),
  statefulset: () => import('../../../src/controllers/statefulset/testing/scenarios.ts'),
  disruption: () => import('../../../src/controllers/disruption/testing/scenarios.ts'),
  endpointslice: () => import('../../../src/controllers/endpointslice/testing/scenarios.ts'),
  'endpointslice-mirroring': () => import('../../../src/controllers/endpointslice-mirroring/testing/scenarios.ts'),
  'ttl-after-finished': () => import('../../../src/controllers/ttl-after-finished/testing/scenarios.ts'),
  deployment: () => import('../../../src/controllers/deployment/testing/scenarios.ts'),
  cronjob: () => import('../../../src/controllers/cronjob/testing/scenarios.ts'),
  job: () => import('../../../src/controllers/job/testing/scenarios.ts'),
  'horizontal-pod-autoscaler': () => import('../../../src/controllers/horizontal-pod-autoscaler/testing/scenarios.ts'),
};
