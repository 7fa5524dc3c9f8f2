import { ControllerRevision, PersistentVolumeClaim, Pod, StatefulSet } from '../../../client/index.ts';
import { type ScenarioTopic, see } from '../../testing/scenarios/index.ts';
import { claimScenarios } from './claim-scenarios.ts';
import { orderScenarios } from './order-scenarios.ts';
import { rolloutScenarios } from './rollout-scenarios.ts';

/** Scenarios about StatefulSets. */
export const topic: ScenarioTopic = {
  controllers: ['statefulset-controller'],
  seen: [
    see(StatefulSet),
    see(ControllerRevision, ({ revision, data }) => [revision, data]),
    see(Pod, ({ spec }) => [spec?.hostname, spec?.subdomain, spec?.volumes, spec?.containers[0]?.image]),
    see(PersistentVolumeClaim),
  ],
  scenarios: { ...orderScenarios, ...rolloutScenarios, ...claimScenarios },
};
