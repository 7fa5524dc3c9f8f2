import { matchLabelSelector, ValueError } from '../../api/client.ts';
import { milliQuantityOf } from '../../api/values/index.ts';
import type { MetricIdentifier, MetricStatus } from '../../api/types/autoscaling/v2.d.ts';
import type { Clock, DeepReadonly } from '../../base/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { selectorText } from '../disruption/selector-text.ts';
import type { MetricApis, MetricScope, NamedMetric } from './metric-apis.ts';
import type { Warmup } from './pod-groups.ts';
import type { Tolerances } from './replica-count.ts';

/** What reading and evaluating metrics depends on. */
export interface MetricContext extends MetricScope {
  readonly apis: MetricApis;
  /** The target's pods, and their selector as text. */
  readonly pods: readonly Observed<Pod>[];
  readonly selector: string;
  /** The desired and the current replicas. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  readonly tolerances: Tolerances;
  readonly warmup: Warmup;
  readonly clock: Clock;
  /** Records how the evaluation of a metric of this type ended. */
  computed(type: string, computation: Computation): void;
}

/** The result of evaluating one metric. */
export interface Computation {
  /** The proposed replicas; undefined when they cannot be computed. */
  readonly proposed: number | undefined;
  /** Whether the metric type is unknown. */
  readonly isUnknown: boolean;
  readonly ms: number;
}

/** What one metric proposes. */
export interface Proposal {
  readonly replicas: number;
  /** A description of the metric. */
  readonly metric: string;
  readonly status: DeepReadonly<MetricStatus>;
}

/** An error with a longer message for the summary of all metrics. */
export class DetailedError extends Error {
  readonly detail: string;

  constructor(prefix: string, message: string) {
    super(message);
    this.detail = `${prefix}: ${message}`;
  }
}

export type Identifier = DeepReadonly<MetricIdentifier>;

/** The metric in the form of its API. */
export function namedMetric({ name, selector }: Identifier): NamedMetric {
  const matcher = matchLabelSelector(selector);
  if (matcher instanceof ValueError) throw new Error(matcher.message);
  return { name, selector: matcher.toString() };
}

/** The metric in the form of the status. */
export function identifier({ name, selector }: Identifier): Identifier {
  return selector === undefined ? { name } : { name, selector };
}

export function inWords({ name, selector }: Identifier): string {
  return `external metric ${name}(${selectorText(selector)})`;
}

export function thousandths(value: bigint): string {
  return milliQuantityOf(value).toString();
}
