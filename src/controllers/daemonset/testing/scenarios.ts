import { ControllerRevision, DaemonSet, Node, Pod } from '../../../client/index.ts';
import { type ScenarioTopic, see } from '../../testing/scenarios/index.ts';
import { nodeScenarios } from './node-scenarios.ts';
import { podScenarios } from './pod-scenarios.ts';
import { rolloutScenarios } from './rollout-scenarios.ts';

/**
 * Scenarios about DaemonSets. The real controller visits nodes in random order, so pods are recorded without their
 * nodes.
 */
export const topic: ScenarioTopic = {
  controllers: ['daemonset-controller'],
  seen: [
    see(DaemonSet),
    see(ControllerRevision, ({ revision, data }) => [revision, data]),
    see(Pod, ({ spec }) => [spec?.tolerations, spec?.containers[0]?.image]),
    see(Node, ({ spec }) => spec?.taints),
  ],
  masks: [[/(daemon pod here\/log-)[a-z0-9]{5}\b/g, '$1?????']],
  scenarios: { ...nodeScenarios, ...rolloutScenarios, ...podScenarios },
};
