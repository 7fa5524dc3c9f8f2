import { formatTime, instantOfMillis } from '../../api/client.ts';
import type {
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '../../api/types/autoscaling/v2.d.ts';
import { deepEqual, type DeepReadonly } from '../../base/index.ts';

export type ConditionType = 'AbleToScale' | 'ScalingActive' | 'ScalingLimited' | 'ScaledToZero';
export type Status = DeepReadonly<HorizontalPodAutoscalerStatus>;

/** The content of a condition. */
export interface Finding {
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** Collects the new status of an autoscaler. */
export class StatusDraft {
  readonly #before: Status | undefined;
  readonly #nowMs: number;
  #status: Status;

  constructor(before: Status | undefined, nowMs: number) {
    this.#before = before;
    this.#nowMs = nowMs;
    this.#status = before ?? { desiredReplicas: 0 };
  }

  /** Sets a condition; its transition time is kept when its status is. */
  say(type: ConditionType, { status, reason, message }: Finding): void {
    const conditions = this.#status.conditions ?? [];
    const known = conditions.find((condition) => condition.type === type);
    if (known?.status === status && known.reason === reason && known.message === message) return;
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : this.#now;
    const said: DeepReadonly<HorizontalPodAutoscalerCondition> = {
      type,
      status,
      ...(lastTransitionTime === undefined ? {} : { lastTransitionTime }),
      reason,
      message,
    };
    this.#status = {
      ...this.#status,
      conditions:
        known === undefined ? [...conditions, said] : conditions.map((each) => (each === known ? said : each)),
    };
  }

  unsay(type: ConditionType): void {
    const conditions = (this.#status.conditions ?? []).filter((condition) => condition.type !== type);
    this.#status = { ...this.#status, conditions };
  }

  /** Sets the counts. As upstream, drops other members, such as observedGeneration. */
  count(numbers: {
    readonly current: number;
    readonly desired?: number;
    readonly metrics: readonly DeepReadonly<MetricStatus>[] | undefined;
    readonly isRescaled: boolean;
  }): void {
    const { current, metrics = [], isRescaled } = numbers;
    const { desiredReplicas, lastScaleTime: before, conditions = [] } = this.#status;
    const lastScaleTime = isRescaled ? this.#now : before;
    this.#status = {
      ...(lastScaleTime === undefined ? {} : { lastScaleTime }),
      currentReplicas: current,
      desiredReplicas: numbers.desired ?? desiredReplicas,
      ...(metrics.length === 0 ? {} : { currentMetrics: metrics }),
      conditions,
    };
  }

  get #now(): string {
    return formatTime(instantOfMillis(this.#nowMs));
  }

  /** The status if it changed. */
  get changed(): Status | undefined {
    return deepEqual(normal(this.#status), normal(this.#before)) ? undefined : this.#status;
  }
}

function normal(status: Status | undefined): object {
  const { currentReplicas = 0, desiredReplicas = 0, conditions = [], currentMetrics, ...rest } = status ?? {};
  return { ...rest, currentReplicas, desiredReplicas, conditions, currentMetrics: currentMetrics ?? [] };
}
