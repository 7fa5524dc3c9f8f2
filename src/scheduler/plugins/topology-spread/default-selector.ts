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
import { deepEqual } from '../../../base/index.ts';
import type { Lister, PluginContext } from '../../framework/plugin-context.ts';

type Labels = Readonly<Record<string, string>>;

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
  /** By the selector of an owner, which thousands of pods have: with which labels of Services it was put together last. */
  const known = new WeakMap<object, { readonly labels: Labels; readonly matcher: LabelMatcher }>();
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
    if (selector === undefined) return matchLabels(labels);
    const before = known.get(selector);
    if (before !== undefined && deepEqual(before.labels, labels)) return before.matcher;
    const own = matchLabelSelector(selector);
    if (own instanceof ValueError) return matchLabels(labels);
    const matcher = new LabelMatcher([...matchLabels(labels).requirements, ...own.requirements]);
    known.set(selector, { labels, matcher });
    return matcher;
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
