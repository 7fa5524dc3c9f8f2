import { controllerOf } from '../../../api/meaning/index.ts';
import { LabelMatcher, matchLabels, matchLabelSelector, ValueError } from '../../../api/values/index.ts';
import {
  ReplicaSet,
  ReplicationController,
  Service,
  StatefulSet,
  type Observed,
  type Pod,
} from '../../../client/index.ts';
import type { Lister, PluginContext } from '../../framework/plugin-context.ts';

/** The selector of the pods that belong together with one, as far as can be seen; it is empty when none can be seen. */
export type PodSelector = (pod: Observed<Pod>) => LabelMatcher;

/** Finds it by the Services that select the pod and by its ReplicationController, ReplicaSet or StatefulSet. */
export function defaultSelectors({ objects }: Pick<PluginContext, 'objects'>): PodSelector {
  const services = objects(Service);
  const replicationControllers = objects(ReplicationController);
  const owners = new Map<string, Lister<ReplicaSet> | Lister<StatefulSet>>([
    ['apps/v1 ReplicaSet', objects(ReplicaSet)],
    ['apps/v1 StatefulSet', objects(StatefulSet)],
  ]);
  return (pod) => {
    const { namespace = '' } = pod.metadata;
    const labels = serviceLabels(services, pod);
    const owner = controllerOf(pod);
    if (owner === undefined) return matchLabels(labels);
    const kind = `${owner.apiVersion} ${owner.kind}`;
    const key = `${namespace}/${owner.name}`;
    if (kind === 'v1 ReplicationController')
      return matchLabels({ ...labels, ...replicationControllers.get(key)?.spec?.selector });
    const selector = owners.get(kind)?.get(key)?.spec?.selector;
    const matcher = selector === undefined ? undefined : matchLabelSelector(selector);
    if (matcher === undefined || matcher instanceof ValueError) return matchLabels(labels);
    return new LabelMatcher([...matchLabels(labels).requirements, ...matcher.requirements]);
  };
}

/** The selectors of all Services for the pod, together; the pod has all these labels, so they cannot contradict each other. */
function serviceLabels(services: Lister<Service>, { metadata }: Observed<Pod>): Record<string, string> {
  const { namespace, labels } = metadata;
  const together: Record<string, string> = {};
  for (const { spec } of services.list({ namespace })) {
    if (spec?.selector !== undefined && hasAll(labels, spec.selector)) Object.assign(together, spec.selector);
  }
  return together;
}

/** Compares without a matcher: a namespace may have thousands of Services, and all are looked at for every pod. */
function hasAll(
  labels: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): boolean {
  for (const key in wanted) if (labels?.[key] !== wanted[key]) return false;
  return true;
}
