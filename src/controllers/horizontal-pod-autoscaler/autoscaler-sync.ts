import { messageOf, type Clock } from '../../base/index.ts';
import { parseQuantity, ValueError } from '../../api/values/index.ts';
import {
  type Client,
  type HorizontalPodAutoscaler,
  keyOf,
  type Observed,
  type Pod,
  StatusError,
} from '../../client/index.ts';
import type { EventRecorder, Objects } from '../../kit/index.ts';
import { actionOf, type AutoscalerMetrics, type ScaleAction } from './autoscaler-metrics.ts';
import { StatusDraft } from './autoscaler-status.ts';
import type { KnownSelectors } from './known-selectors.ts';
import { boundByBehavior, boundByDefault, longestPeriodMs } from './limits.ts';
import type { MetricApis } from './metric-apis.ts';
import type { Computation, MetricContext } from './metric-context.ts';
import type { Warmup } from './pod-groups.ts';
import type { Tolerances } from './replica-count.ts';
import type { ScaleHistory } from './scale-history.ts';
import type { ServedTargets } from './served-targets.ts';
import { readTarget, type TargetScale, writeScale } from './target-scale.ts';
import { weighMetrics, type Weighed } from './weigh-metrics.ts';

type Autoscaler = Observed<HorizontalPodAutoscaler>;

/** What syncing an autoscaler depends on. */
export interface SyncParts {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: AutoscalerMetrics;
  readonly autoscalers: Objects<HorizontalPodAutoscaler>;
  readonly pods: Objects<Pod>;
  readonly targets: ServedTargets;
  readonly apis: MetricApis;
  readonly selectors: KnownSelectors;
  readonly settings: SyncSettings;
}

export interface SyncSettings extends Omit<Warmup, 'nowMs'> {
  readonly tolerance: number;
  readonly downscaleStabilizationMs: number;
}

/** The scaling decision. */
interface Decision {
  readonly replicas: number;
  /** Why the target is scaled; undefined when it is not. */
  readonly reason: string | undefined;
  readonly weighed?: Weighed;
}

/** Why the selector of the target's pods is not usable. */
class SelectorError extends Error {
  /** The reason of the event. */
  readonly reason: string;
  /** The content of the condition. */
  readonly said: { readonly reason: string; readonly message: string };

  constructor(message: string, reason: string, said: SelectorError['said']) {
    super(message);
    this.reason = reason;
    this.said = said;
  }
}

const SCALING_DISABLED = {
  status: 'False',
  reason: 'ScalingDisabled',
  message: 'scaling is disabled since the replica count of the target is zero',
} as const;

/** One sync of an autoscaler: reads scale and metrics, scales the target, and writes the status. */
export class AutoscalerSync {
  readonly #parts: SyncParts;
  readonly #autoscaler: Autoscaler;
  readonly #draft: StatusDraft;
  readonly #signal: AbortSignal;
  readonly #nowMs: number;
  #action: ScaleAction = 'none';

  constructor(autoscaler: Autoscaler, parts: SyncParts, signal: AbortSignal) {
    this.#parts = parts;
    this.#autoscaler = autoscaler;
    this.#signal = signal;
    this.#nowMs = parts.clock.now();
    this.#draft = new StatusDraft(autoscaler.status, this.#nowMs);
  }

  /** Throws failures that are to be logged. `remember` returns the scaling history. */
  async run(remember: (current: number) => ScaleHistory): Promise<void> {
    const { clock, metrics } = this.#parts;
    const startMs = clock.monotonic();
    let error: 'internal' | 'none' = 'internal';
    try {
      await this.#run(remember);
      error = 'none';
    } finally {
      metrics.looked({ action: this.#action, error, ms: clock.monotonic() - startMs });
    }
  }

  async #run(remember: (current: number) => ScaleHistory): Promise<void> {
    const target = await this.#target();
    const current = target.scale.spec?.replicas ?? 0;
    const history = remember(current);
    const decision = await this.#decide(target, history);
    const { replicas, reason, weighed } = decision;
    const metrics = weighed?.statuses;
    if (reason !== undefined) await this.#rescale(target, { ...decision, reason }, history);
    const desired = reason === undefined ? current : replicas;
    this.#draft.count({
      current,
      desired,
      metrics,
      isRescaled: reason !== undefined,
    });
    this.#parts.metrics.desires(keyOf(this.#autoscaler), desired);
    await this.#writeStatus();
    if (weighed?.problem !== undefined) throw new Error(weighed.problem);
  }

  async #target(): Promise<TargetScale> {
    try {
      const target = await readTarget(this.#autoscaler, this.#parts, this.#signal);
      const message = "the HPA controller was able to get the target's current scale";
      this.#draft.say('AbleToScale', { status: 'True', reason: 'SucceededGetScale', message });
      return target;
    } catch (error) {
      this.#signal.throwIfAborted();
      const reason = 'FailedGetScale';
      this.#warn(reason, messageOf(error));
      const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
      this.#draft.say('AbleToScale', { status: 'False', reason, message });
      await this.#writeStatus();
      throw error;
    }
  }

  async #decide(target: TargetScale, history: ScaleHistory): Promise<Decision> {
    const current = target.scale.spec?.replicas ?? 0;
    const { minReplicas: min = 1, maxReplicas: max, behavior, metrics } = this.#autoscaler.spec;
    if (current === 0) {
      this.#draft.say('ScalingActive', SCALING_DISABLED);
      this.#draft.unsay('ScaledToZero');
      return { replicas: 0, reason: undefined };
    }
    if (current > max) return { replicas: max, reason: 'Current number of replicas above Spec.MaxReplicas' };
    if (current < min) return { replicas: min, reason: 'Current number of replicas below Spec.MinReplicas' };

    const weighed = await this.#weigh(metrics, target);
    const { best } = weighed;
    if (best === undefined) return await this.#giveUp(current, weighed);
    const active = `the HPA was able to successfully calculate a replica count from ${best.metric}`;
    this.#draft.say('ScalingActive', { status: 'True', reason: 'ValidMetricFound', message: active });
    const { downscaleStabilizationMs } = this.#parts.settings;
    const wish = { current, recommended: best.replicas, min, max, nowMs: this.#nowMs, downscaleStabilizationMs };
    const bounded = behavior === undefined ? boundByDefault(wish, history) : boundByBehavior(wish, history, behavior);
    this.#draft.say('AbleToScale', { status: 'True', ...bounded.ability });
    const { isLimited, ...limit } = bounded.limit;
    this.#draft.say('ScalingLimited', { status: isLimited ? 'True' : 'False', ...limit });
    const { replicas } = bounded;
    if (replicas === current) return { replicas, reason: undefined, weighed };
    const why =
      best.replicas > current
        ? `${best.metric} above target`
        : best.replicas < current
          ? 'All metrics below target'
          : '';
    return { replicas, reason: why, weighed };
  }

  /** Evaluates the metrics, unless the target's pods cannot be determined. */
  async #weigh(metrics: Autoscaler['spec']['metrics'], target: TargetScale): Promise<Weighed> {
    try {
      const weighed = await weighMetrics(metrics ?? [], this.#metricContext(target));
      for (const { reason, message } of weighed.failures) this.#warn(reason, message);
      return weighed;
    } catch (error) {
      if (!(error instanceof SelectorError)) throw error;
      this.#warn(error.reason, error.message);
      this.#draft.say('ScalingActive', { status: 'False', ...error.said });
      return { best: undefined, statuses: [], failures: [], problem: error.message };
    }
  }

  /** Reports that the desired replicas cannot be computed. */
  async #giveUp(current: number, { statuses, failures: [first], problem = '' }: Weighed): Promise<never> {
    if (first !== undefined) {
      const message = `the HPA was unable to compute the replica count: ${first.message}`;
      this.#draft.say('ScalingActive', { status: 'False', reason: first.reason, message });
    }
    this.#draft.count({ current, metrics: statuses, isRescaled: false });
    await this.#writeStatus();
    this.#warn('FailedComputeMetricsReplicas', problem);
    throw new Error(`Cannot compute how many replicas ${keyOf(this.#autoscaler)} should have: ${problem}`);
  }

  #metricContext({ scale, selector }: TargetScale): MetricContext {
    const { namespace = '' } = this.#autoscaler.metadata;
    const { pods, selectors, settings, apis } = this.#parts;
    if (selector === undefined) {
      const message = "the HPA target's scale is missing a selector";
      throw new SelectorError('selector is required', 'SelectorRequired', { reason: 'InvalidSelector', message });
    }
    selectors.set(keyOf(this.#autoscaler), selector);
    const selected = pods.list({ namespace, labelSelector: selector.text });
    const about = selectors.about(namespace, selected);
    if (about.length > 1) {
      const names = about.map((name) => `{${name} ${namespace}}`).join(' ');
      const message = `pods by selector ${selector.text} are controlled by multiple HPAs: [${names}]`;
      throw new SelectorError(message, 'AmbiguousSelector', { reason: 'AmbiguousSelector', message });
    }
    return {
      apis,
      computed: (type, outcome) => this.#computed(type, outcome),
      clock: this.#parts.clock,
      namespace,
      signal: this.#signal,
      pods: selected,
      selector: selector.query,
      specReplicas: scale.spec?.replicas ?? 0,
      statusReplicas: scale.status?.replicas ?? 0,
      tolerances: tolerancesOf(this.#autoscaler, settings.tolerance),
      warmup: { ...settings, nowMs: this.#nowMs },
    };
  }

  #computed(type: string, { proposed, isUnknown, ms }: Computation): void {
    const current = this.#autoscaler.status?.currentReplicas ?? 0;
    const error = proposed !== undefined ? 'none' : isUnknown ? 'spec' : 'internal';
    const action = proposed === undefined ? 'none' : actionOf(current, proposed);
    this.#parts.metrics.computed(type, { action, error, ms });
  }

  async #rescale(target: TargetScale, { replicas, reason, weighed }: Decision, history: ScaleHistory): Promise<void> {
    const current = target.scale.spec?.replicas ?? 0;
    const what = `New size: ${replicas}; reason: ${reason}`;
    try {
      await writeScale(target, replicas, { client: this.#parts.client, signal: this.#signal });
    } catch (error) {
      this.#signal.throwIfAborted();
      this.#warn('FailedRescale', `${what}; error: ${messageOf(error)}`);
      const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
      this.#draft.say('AbleToScale', { status: 'False', reason: 'FailedUpdateScale', message });
      this.#draft.count({ current, metrics: weighed?.statuses, isRescaled: false });
      await this.#writeStatus();
      throw error;
    }
    this.#action = replicas > current ? 'scale_up' : 'scale_down';
    const message = `the HPA controller was able to update the target scale to ${replicas}`;
    this.#draft.say('AbleToScale', { status: 'True', reason: 'SucceededRescale', message });
    this.#draft.unsay('ScaledToZero');
    this.#parts.events.event(this.#autoscaler, { reason: 'SuccessfulRescale', message: what });
    const { behavior } = this.#autoscaler.spec;
    if (behavior !== undefined) history.changed(replicas - current, this.#nowMs, longestPeriodMs(behavior));
  }

  async #writeStatus(): Promise<void> {
    const status = this.#draft.changed;
    if (status === undefined) return;
    try {
      await this.#parts.autoscalers.updateStatus({ ...this.#autoscaler, status });
    } catch (error) {
      if (error instanceof StatusError) this.#warn('FailedUpdateStatus', error.message);
      throw error;
    }
  }

  #warn(reason: string, message: string): void {
    this.#parts.events.event(this.#autoscaler, { type: 'Warning', reason, message });
  }
}

function tolerancesOf({ spec: { behavior } }: Autoscaler, tolerance: number): Tolerances {
  return {
    down: toleranceOf(behavior?.scaleDown?.tolerance) ?? tolerance,
    up: toleranceOf(behavior?.scaleUp?.tolerance) ?? tolerance,
  };
}

function toleranceOf(text: string | undefined): number | undefined {
  const quantity = text === undefined ? undefined : parseQuantity(text);
  return quantity === undefined || quantity instanceof ValueError ? undefined : quantity.toNumber();
}
