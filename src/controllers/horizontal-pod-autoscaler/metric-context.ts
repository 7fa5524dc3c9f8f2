import { matchLabelSelector, ValueError } from '../../api/client.ts';
import { milliQuantityOf } from '../../api/values/index.ts';
import type { MetricIdentifier, MetricStatus } from '../../api/types/autoscaling/v2.d.ts';
import type { Clock, DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { selectorText } from '../disruption/selector-text.ts';
import type { MetricApis, MetricScope, NamedMetric } from './metric-apis.ts';
import type { Warmup } from './pod-groups.ts';
import type { Tolerances } from './replica-count.ts';

/** What metrics are read and weighed with. */
export interface MetricContext extends MetricScope {
  readonly apis: MetricApis;
  /** The pods of the target, and their selector as text. */
  readonly pods: readonly Observed<Pod>[];
  readonly selector: string;
  /** How many replicas there are to be now, and how many there are. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly warmup: Warmup;
  readonly clock: Clock;
  /** Takes how reading a metric of this type went. */
  computed(type: string, computation: Computation): void;
}

/** How reading one metric went. */
export interface Computation {
  /** The replicas that it asks for; undefined when it cannot be told. */
  readonly proposed: number | undefined;
  /** Whether there is no such type of metric. */
  readonly isUnknown: boolean;
  readonly ms: number;
}

/** What one metric asks for. */
export interface Proposal {
  readonly replicas: number;
  /** The metric in words. */
  readonly metric: string;
  readonly status: DeepReadonly<MetricStatus>;
}

/** An error that is told with more words where all metrics are told of together. */
export class DetailedError extends Error {
  readonly detail: string;

  constructor(prefix: string, message: string) {
    super(message);
    this.detail = `${prefix}: ${message}`;
  }
}

export type Identifier = DeepReadonly<MetricIdentifier>;

/** The metric as its API is asked for it. */
export function namedMetric({ name, selector }: Identifier): NamedMetric {
  const matcher = matchLabelSelector(selector);
  if (matcher instanceof ValueError) throw new Error(matcher.message);
  return { name, selector: matcher.toString() };
}

/** The metric as the status tells it. */
export function identifier({ name, selector }: Identifier): Identifier {
  return selector === undefined ? { name } : { name, selector };
}

export function inWords({ name, selector }: Identifier): string {
  return `external metric ${name}(${selectorText(selector)})`;
}

export function thousandths(value: bigint): string {
  return milliQuantityOf(value).toString();
}
