import { Job, Pod } from '../../../client/index.ts';
import { type ScenarioTopic, see } from '../../testing/scenarios/index.ts';
import { countingScenarios } from './counting-scenarios.ts';
import { indexScenarios } from './index-scenarios.ts';
import { lifeScenarios } from './life-scenarios.ts';
import { policyScenarios } from './policy-scenarios.ts';

/** Scenarios about Jobs. */
export const topic: ScenarioTopic = {
  controllers: ['job-controller'],
  seen: [
    see(Job),
    see(Pod, ({ spec }) => [
      spec?.hostname,
      [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].map(({ env }) => env),
    ]),
  ],
  scenarios: { ...countingScenarios, ...lifeScenarios, ...indexScenarios, ...policyScenarios },
};
