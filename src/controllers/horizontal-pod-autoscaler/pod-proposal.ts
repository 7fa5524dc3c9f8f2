import { hasPodLevelRequests, isSidecar, podRequests } from '../../api/meaning/index.ts';
import type { MetricSpec, MetricTarget, MetricValueStatus } from '../../api/types/autoscaling/v2.d.ts';
import { milliQuantityOf } from '../../api/values/index.ts';
import { type DeepReadonly, messageOf } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { milli, type PodMetrics } from './metric-apis.ts';
import { identifier, type MetricContext, namedMetric, type Proposal, thousandths } from './metric-context.ts';
import { groupPods, type PodGroups } from './pod-groups.ts';
import { averageTarget, replicasFor, utilizationTarget } from './replica-count.ts';

/** A resource of pods, or of one of their containers. */
interface CountedResource {
  readonly name: string;
  readonly container?: string | undefined;
}

type Target = DeepReadonly<MetricTarget>;

/** The replicas proposed by a resource metric. */
export async function ofResource(
  resource: CountedResource,
  target: Target,
  context: MetricContext,
): Promise<Omit<Proposal, 'status'> & { readonly current: MetricValueStatus }> {
  const { name, container } = resource;
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined)
    throw new Error(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  const format = name === 'memory' ? 'BinarySI' : 'DecimalSI';
  const kind = averageValue === undefined ? 'utilization' : 'usage';
  try {
    const metrics = await context.apis.ofResource(resource, context.selector, context).catch((error: unknown) => {
      throw new Error(`unable to get metrics for resource ${name}: ${messageOf(error)}`);
    });
    const groups = sorted(context, metrics, name);
    const yardstick =
      averageValue === undefined
        ? utilizationTarget(averageUtilization ?? 0, requestsOf(context.pods, resource))
        : averageTarget(milli(averageValue));
    const { replicas, usage } = replicasFor(groups, yardstick, { ...context, current: context.specReplicas });
    const average = milliQuantityOf(usage.average, format).toString();
    if (usage.utilization === undefined)
      return { replicas, metric: `${name} resource`, current: { averageValue: average } };
    const what = container === undefined ? 'resource' : 'container resource';
    return {
      replicas,
      metric: `${name} ${what} utilization (percentage of request)`,
      current: { averageUtilization: usage.utilization, averageValue: average },
    };
  } catch (error) {
    throw new Error(`failed to get ${name} ${kind}: ${messageOf(error)}`, { cause: error });
  }
}

/** The replicas proposed by a pods metric. */
export async function ofPods(
  { metric, target }: DeepReadonly<NonNullable<MetricSpec['pods']>>,
  context: MetricContext,
): Promise<Proposal> {
  const named = namedMetric(metric);
  const metrics = await context.apis.ofPods(named, context.selector, context).catch((error: unknown) => {
    throw new Error(`unable to get metric ${metric.name}: ${messageOf(error)}`);
  });
  const yardstick = averageTarget(milli(target.averageValue ?? '0'));
  const { replicas, usage } = replicasFor(sorted(context, metrics), yardstick, {
    ...context,
    current: context.specReplicas,
  });
  const current = { averageValue: thousandths(usage.average) };
  const status = { type: 'Pods', pods: { metric: identifier(metric), current } };
  return { replicas, metric: `pods metric ${metric.name}`, status };
}

/** Groups the pods; throws when none has a sample. */
function sorted({ pods, warmup }: MetricContext, metrics: PodMetrics, resource?: string): PodGroups {
  if (pods.length === 0) throw new Error('no pods returned by selector while calculating replica count');
  const groups = groupPods(pods, metrics, { resource, warmup });
  if (groups.counted.size === 0) throw new Error('did not receive metrics for targeted pods (pods might be unready)');
  return groups;
}

/** The request of each pod, in thousandths. Throws when a pod has none. */
function requestsOf(pods: readonly Observed<Pod>[], resource: CountedResource): ReadonlyMap<string, bigint> {
  return new Map(pods.map((pod) => [pod.metadata.name, requestOf(pod, resource)]));
}

function requestOf(pod: Observed<Pod>, { name, container }: CountedResource): bigint {
  const { name: podName } = pod.metadata;
  if (container === undefined && hasPodLevelRequests(pod)) {
    const amount = podRequests(pod).get(name);
    if (amount === undefined) throw new Error(`missing pod-level request for ${name} in Pod ${podName}`);
    return amount.scaledValue(-3);
  }
  const running = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? []).filter(isSidecar)];
  const counted = container === undefined ? running : running.filter((each) => each.name === container);
  if (counted.length === 0 && container !== undefined)
    throw new Error(`container ${container} not found in Pod ${podName}`);
  return counted.reduce((sum, { name: containerName, resources }) => {
    const request = resources?.requests?.[name];
    if (request === undefined)
      throw new Error(`missing request for ${name} in container ${containerName} of Pod ${podName}`);
    return sum + milli(request);
  }, 0n);
}
