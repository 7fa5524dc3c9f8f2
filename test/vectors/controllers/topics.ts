import type { ScenarioTopic } from '../../../src/controllers/testing/scenarios/index.ts';

/** Where the scenarios are, by the folder of src/controllers. */
export const topics: Readonly<Record<string, () => Promise<{ readonly topic: ScenarioTopic }>>> = {
  disruption: () => import('../../../src/controllers/disruption/testing/scenarios.ts'),
  'endpointslice-mirroring': () => import('../../../src/controllers/endpointslice-mirroring/testing/scenarios.ts'),
  'ttl-after-finished': () => import('../../../src/controllers/ttl-after-finished/testing/scenarios.ts'),
  deployment: () => import('../../../src/controllers/deployment/testing/scenarios.ts'),
  cronjob: () => import('../../../src/controllers/cronjob/testing/scenarios.ts'),
  job: () => import('../../../src/controllers/job/testing/scenarios.ts'),
};
