import { type Duration, millisecondsOf } from '../../base/index.ts';
import { HorizontalPodAutoscaler, keyOf, Pod, type RateLimiter } from '../../client/index.ts';
import type { AppContext, KeyedWorkers, ProgramPart, PreparedPart, WorkContext } from '../../kit/index.ts';
import { AutoscalerMetrics } from './autoscaler-metrics.ts';
import { AutoscalerSync, type SyncParts } from './autoscaler-sync.ts';
import { KnownSelectors } from './known-selectors.ts';
import { MetricApis } from './metric-apis.ts';
import { ScaleHistory } from './scale-history.ts';
import { ServedTargets } from './served-targets.ts';

export interface HorizontalPodAutoscalerOptions {
  /** How often each autoscaler is synced; default 15 s. */
  readonly autoscalerSyncPeriod?: Duration;
  /** The share by which usage may differ from its target without scaling; default 0.1. */
  readonly autoscalerTolerance?: number;
  /** After a higher recommendation, scaling down waits this long; default 5 minutes. */
  readonly downscaleStabilization?: Duration;
  /** For this long after a pod's start, only CPU samples taken while it was ready count; default 5 minutes. */
  readonly cpuInitializationPeriod?: Duration;
  /** A pod that became unready within this time after its start counts as never ready; default 30 s. */
  readonly initialReadinessDelay?: Duration;
}

const NAME = 'horizontal-pod-autoscaler';
const CONCURRENCY = 5;

/** Scales the targets of HorizontalPodAutoscalers by the values of the metrics APIs. */
export function horizontalPodAutoscalerController(options: HorizontalPodAutoscalerOptions = {}): ProgramPart {
  return {
    name: NAME,
    sleepsWithout: [HorizontalPodAutoscaler],
    prepare: (context) => new AutoscalerControl(context, options),
  };
}

class AutoscalerControl implements PreparedPart {
  readonly #parts: SyncParts;
  readonly #workers: KeyedWorkers;
  /** The scaling history by autoscaler key. */
  readonly #histories = new Map<string, ScaleHistory>();
  readonly #periodMs: number;

  constructor(context: AppContext, options: HorizontalPodAutoscalerOptions) {
    const { client, clock } = context;
    const autoscalers = context.objects(HorizontalPodAutoscaler);
    const targets = new ServedTargets(client, clock);
    const selectors = new KnownSelectors();
    this.#periodMs = millisecondsOf(options.autoscalerSyncPeriod ?? 15_000);
    this.#parts = {
      client,
      clock,
      events: context.events(NAME),
      autoscalers,
      metrics: new AutoscalerMetrics(context.metrics, () => autoscalers.list().length),
      pods: context.objects(Pod),
      targets,
      apis: new MetricApis(client, targets),
      selectors,
      settings: {
        tolerance: options.autoscalerTolerance ?? 0.1,
        downscaleStabilizationMs: millisecondsOf(options.downscaleStabilization ?? 5 * 60_000),
        cpuInitializationPeriodMs: millisecondsOf(options.cpuInitializationPeriod ?? 5 * 60_000),
        initialReadinessDelayMs: millisecondsOf(options.initialReadinessDelay ?? 30_000),
      },
    };
    this.#workers = context.workers('horizontalpodautoscaler', {
      concurrency: CONCURRENCY,
      rateLimiter: everyPeriod(this.#periodMs),
      work: (key, work) => this.#sync(key, work),
    });
    context.onChange(HorizontalPodAutoscaler, {
      add: (autoscaler) => {
        selectors.add(keyOf(autoscaler));
        this.#workers.addAfter(keyOf(autoscaler), this.#periodMs);
      },
      update: (autoscaler) => this.#workers.addAfter(keyOf(autoscaler), this.#periodMs),
      delete: (autoscaler) => {
        selectors.delete(keyOf(autoscaler));
        this.#workers.addAfter(keyOf(autoscaler), this.#periodMs);
      },
    });
  }

  async run(signal: AbortSignal): Promise<void> {
    await this.#workers.run(signal);
  }

  async #sync(key: string, { signal, after }: WorkContext): Promise<void> {
    const autoscaler = this.#parts.autoscalers.get(key);
    if (autoscaler === undefined) {
      this.#histories.delete(key);
      this.#parts.metrics.forget(key);
      return;
    }
    after(this.#periodMs);
    await new AutoscalerSync(autoscaler, this.#parts, signal).run((current) => {
      const known = this.#histories.get(key) ?? new ScaleHistory(current, this.#parts.clock.now());
      this.#histories.set(key, known);
      return known;
    });
  }
}

/** Requeues after the period, whether or not the sync failed. */
function everyPeriod(periodMs: number): RateLimiter {
  return { nextMs: () => periodMs, forget: () => undefined, failures: () => 0 };
}
