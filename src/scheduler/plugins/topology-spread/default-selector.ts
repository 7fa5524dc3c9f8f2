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

/** Selects the pods of the same application as the given pod; empty when neither Services nor owners select it. */
export type PodSelector = (pod: Observed<Pod>) => LabelMatcher;

/**
 * Derives the selector from the Services that select the pod and from its ReplicationController, ReplicaSet or
 * StatefulSet.
 */
export function defaultSelectors({ objects }: Pick<PluginContext, 'objects'>): PodSelector {
  const services = objects(Service);
  const replicationControllers = objects(ReplicationController);
  const owners = new Map<string, Lister<ReplicaSet> | Lister<StatefulSet>>([
    ['apps/v1 ReplicaSet', objects(ReplicaSet)],
    ['apps/v1 StatefulSet', objects(StatefulSet)],
  ]);
  /** By the selector of an owner, which thousands of pods share: the last combination with labels of Services. */
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

/** The merged selectors of all Services of the pod. The pod has all these labels, so they cannot conflict. */
function serviceLabels(services: Lister<Service>, { metadata }: Observed<Pod>): Record<string, string> {
  const { namespace, labels } = metadata;
  const together: Record<string, string> = {};
  for (const { spec } of services.list({ namespace })) {
    if (spec?.selector !== undefined && hasAll(labels, spec.selector)) Object.assign(together, spec.selector);
  }
  return together;
}

/** Compares without a matcher: a namespace may have thousands of Services, and all are compared for every pod. */
function hasAll(
  labels: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): boolean {
  for (const key in wanted) if (labels?.[key] !== wanted[key]) return false;
  return true;
}
