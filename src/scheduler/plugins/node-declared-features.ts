import { deepEqual } from '../../base/index.ts';
import type { Node, Observed, Pod } from '../../client/index.ts';
import type { Change } from '../framework/cluster-event.ts';
import type { CycleKey } from '../framework/cycle.ts';
import type { Plugin } from '../framework/plugin.ts';
import { unresolvable } from '../framework/rejection.ts';

const NAME = 'NodeDeclaredFeatures';
const NOT_DECLARED = unresolvable(NAME, "node(s) didn't match Pod's required features");
const featuresKey: CycleKey<readonly string[]> = { name: `PreFilter${NAME}` };

/** Filter: a node must declare, in its status, the features that the pod requires (KEP-5328). */
export function nodeDeclaredFeatures(): Plugin {
  return {
    name: NAME,
    events: [
      { resource: 'Node', actions: ['Add', 'UpdateNodeDeclaredFeature'] },
      {
        resource: 'Pod',
        actions: ['Update'],
        isWorthRetry: (pod, { old, now }: Change<Pod>) =>
          now?.metadata.uid === pod.uid && (old === undefined || !deepEqual(neededFeatures(old), neededFeatures(now))),
      },
    ],
    preFilter(cycle) {
      const features = neededFeatures(cycle.pod.pod);
      if (features.length === 0) return 'skip';
      cycle.write(featuresKey, features);
      return undefined;
    },
    filter: (cycle, { node }) => (declares(node, cycle.read(featuresKey)) ? undefined : NOT_DECLARED),
  };
}

/** The features of Kubernetes 1.36 that restrict where a pod may run. */
function neededFeatures({ spec }: Observed<Pod>): readonly string[] {
  const features: string[] = [];
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const restartsAll = containers.some(({ restartPolicyRules = [] }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
  if (restartsAll) features.push('RestartAllContainersOnContainerExits');
  if (spec?.hostNetwork === true && spec.hostUsers === false) features.push('UserNamespacesHostNetworkSupport');
  return features;
}

function declares(node: Observed<Node> | undefined, features: readonly string[]): boolean {
  const declared = node?.status?.declaredFeatures ?? [];
  return features.every((feature) => declared.includes(feature));
}
