import { isReady } from '../../api/meaning/index.ts';
import type { MetricSpec, MetricStatus, MetricValueStatus } from '../../api/types/autoscaling/v2.d.ts';
import { type DeepReadonly, messageOf } from '../../base/index.ts';
import { selectorText } from '../disruption/selector-text.ts';
import { milli } from './metric-apis.ts';
import {
  DetailedError,
  identifier,
  inWords,
  type MetricContext,
  namedMetric,
  type Proposal,
  thousandths,
} from './metric-context.ts';
import { replicasForRatio, replicasForShares } from './replica-count.ts';

type Source<Name extends 'object' | 'external'> = DeepReadonly<NonNullable<MetricSpec[Name]>>;

const MAX_INT64 = 2n ** 63n - 1n;
/** Go's result of converting NaN to int64, which upstream reports for an average over no replicas. */
const NO_AVERAGE = -(2n ** 63n);
const NO_TARGET = 'neither a value target nor an average value target was set';

/** The replicas proposed by an object metric. */
export async function ofObject(source: Source<'object'>, context: MetricContext): Promise<Proposal> {
  const { metric, target, describedObject } = source;
  const named = namedMetric(metric);
  const { kind, name } = describedObject;
  const read = (): Promise<bigint> =>
    context.apis.ofObject(named, describedObject, context).catch((error: unknown) => {
      const problem = messageOf(error); // upstream swaps these fields in its message
      throw new Error(`unable to get metric ${metric.name}: ${kind} on ${context.namespace} ${name}/${problem}`);
    });
  const statusOf = (current: MetricValueStatus): DeepReadonly<MetricStatus> => ({
    type: 'Object',
    object: { describedObject: { ...describedObject }, metric: identifier(metric), current },
  });
  if (target.type === 'Value' && target.value !== undefined) {
    const usage = await read();
    const replicas = replicasOf(usage, target.value, context);
    return { replicas, metric: `${kind} metric ${metric.name}`, status: statusOf({ value: thousandths(usage) }) };
  }
  if (target.type === 'AverageValue' && target.averageValue !== undefined) {
    const usage = await read().catch((error: unknown) => {
      throw new DetailedError(`failed to get ${metric.name} object metric`, messageOf(error));
    });
    return {
      replicas: replicasForShares(usage, milli(target.averageValue), { ...context, current: context.statusReplicas }),
      metric: inWords(metric),
      status: statusOf({ averageValue: thousandths(shareOf(usage, context.statusReplicas)) }),
    };
  }
  throw new Error(`invalid object metric source: ${NO_TARGET}`);
}

/** The replicas proposed by an external metric. */
export async function ofExternal({ metric, target }: Source<'external'>, context: MetricContext): Promise<Proposal> {
  const { name } = metric;
  const statusOf = (current: MetricValueStatus): DeepReadonly<MetricStatus> => ({
    type: 'External',
    external: { metric: identifier(metric), current },
  });
  const read = async (): Promise<bigint> => {
    const values = await context.apis.ofExternal(namedMetric(metric), context).catch((error: unknown) => {
      const where = `${context.namespace}/${name}/${selectorText(metric.selector)}`;
      throw new Error(`unable to get external metric ${where}: ${messageOf(error)}`);
    });
    const sum = values.reduce((total, value) => total + value, 0n);
    return sum > MAX_INT64 ? MAX_INT64 : sum;
  };
  if (target.averageValue !== undefined) {
    const usage = await read().catch((error: unknown) => {
      throw new DetailedError(`failed to get ${name} external metric`, messageOf(error));
    });
    return {
      replicas: replicasForShares(usage, milli(target.averageValue), { ...context, current: context.statusReplicas }),
      metric: inWords(metric),
      status: statusOf({ averageValue: thousandths(shareOf(usage, context.statusReplicas)) }),
    };
  }
  if (target.value === undefined) throw new Error(`invalid external metric source: ${NO_TARGET}`);
  try {
    const usage = await read();
    const replicas = replicasOf(usage, target.value, context);
    return { replicas, metric: inWords(metric), status: statusOf({ value: thousandths(usage) }) };
  } catch (error) {
    throw new DetailedError(`failed to get external metric ${name}`, messageOf(error));
  }
}

function replicasOf(usage: bigint, target: string, context: MetricContext): number {
  const ratio = Number(usage) / Number(milli(target));
  return replicasForRatio(ratio, () => readyCount(context), { ...context, current: context.specReplicas });
}

function readyCount({ pods }: MetricContext): number {
  if (pods.length === 0)
    throw new Error('unable to calculate ready pods: no pods returned by selector while calculating replica count');
  return pods.filter((pod) => pod.status?.phase === 'Running' && isReady(pod)).length;
}

/** The average per replica, rounded up. */
function shareOf(usage: bigint, replicas: number): bigint {
  if (usage === MAX_INT64) return usage;
  return replicas === 0 ? NO_AVERAGE : (usage + BigInt(replicas) - 1n) / BigInt(replicas);
}
