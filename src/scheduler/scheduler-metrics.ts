import { exponentialBuckets, type MetricRegistry } from '../base/index.ts';
import type { SchedulerCache } from './cache/scheduler-cache.ts';
import type { PreemptionMetrics } from './framework/plugin-context.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** The scheduler's metrics, under kube-scheduler's names. */
export class SchedulerMetrics {
  readonly #attempts;
  readonly #attemptSeconds;
  readonly #podSeconds;
  readonly #podAttempts;
  readonly #algorithmSeconds;
  readonly #afterFlush;
  readonly #preemptions;
  readonly #victims;
  readonly #incoming;

  constructor(registry: MetricRegistry) {
    const fromOneMillisecond = exponentialBuckets(0.001, 2, 15);
    this.#attempts = registry.counter({
      name: 'scheduler_schedule_attempts_total',
      help: 'Tries to schedule pods, by result; an error is a fault of the scheduler or the API server',
      labels: ['result', 'profile'],
    });
    this.#attemptSeconds = registry.histogram({
      name: 'scheduler_scheduling_attempt_duration_seconds',
      help: 'How long tries take, with binding',
      labels: ['result', 'profile'],
      buckets: fromOneMillisecond,
    });
    this.#algorithmSeconds = registry.histogram({
      name: 'scheduler_scheduling_algorithm_duration_seconds',
      help: 'How long finding a node takes',
      buckets: fromOneMillisecond,
    });
    this.#podSeconds = registry.histogram({
      name: 'scheduler_pod_scheduling_sli_duration_seconds',
      help: 'From when a pod could first be tried until it is bound, by the number of tries',
      labels: ['attempts'],
      buckets: exponentialBuckets(0.01, 2, 20),
    });
    this.#podAttempts = registry.histogram({
      name: 'scheduler_pod_scheduling_attempts',
      help: 'Tries until a pod is bound',
      buckets: exponentialBuckets(1, 2, 5),
    });
    this.#afterFlush = registry.counter({
      name: 'scheduler_pod_scheduled_after_flush_total',
      help: 'Pods that were bound by an attempt that only the unschedulable timeout triggered',
    });
    this.#preemptions = registry.counter({
      name: 'scheduler_preemption_attempts_total',
      help: 'Tries to make room for pods by deleting others',
    });
    this.#victims = registry.histogram({
      name: 'scheduler_preemption_victims',
      help: 'Pods that were chosen to be deleted to make room for one',
      buckets: exponentialBuckets(1, 2, 7),
    });
    this.#incoming = registry.counter({
      name: 'scheduler_queue_incoming_pods_total',
      help: 'Pods that came into a queue, by what brought them there',
      labels: ['queue', 'event'],
    });
  }

  get preemption(): PreemptionMetrics {
    return { attempt: () => this.#preemptions.with().add(), victims: (count) => this.#victims.with().observe(count) };
  }

  /** Registers gauges that read the sizes of queue and cache on scrape. */
  watch(registry: MetricRegistry, queue: SchedulingQueue, cache: SchedulerCache): void {
    registry.callback(
      { name: 'scheduler_pending_pods', help: 'Pods without a node, by the queue that they are in', labels: ['queue'] },
      () => Object.entries(queue.counts).map(([name, value]) => ({ labels: { queue: name }, value })),
    );
    registry.callback(
      { name: 'scheduler_cache_size', help: 'Nodes, pods and assumed pods in the cache', labels: ['type'] },
      () => [
        { labels: { type: 'nodes' }, value: cache.nodeCount },
        { labels: { type: 'pods' }, value: cache.podCount },
        { labels: { type: 'assumed_pods' }, value: cache.assumedCount },
      ],
    );
    registry.callback(
      {
        name: 'scheduler_unschedulable_pods',
        help: 'Pods without a node by the plugins that rejected them; a pod counts for each of them',
        labels: ['plugin', 'profile'],
      },
      () => queue.countRejections().map(({ plugin, profile, value }) => ({ labels: { plugin, profile }, value })),
    );
  }

  arrived(queue: string, event: string): void {
    this.#incoming.with({ queue, event }).add();
  }

  algorithm(ms: number): void {
    this.#algorithmSeconds.with().observe(ms / 1000);
  }

  attempt(result: AttemptResult, profile: string, ms: number): void {
    this.#attempts.with({ result, profile }).add();
    this.#attemptSeconds.with({ result, profile }).observe(ms / 1000);
  }

  bound(pod: QueuedPod, nowMs: number): void {
    this.#podAttempts.with().observe(pod.attempts);
    const attempts = pod.attempts >= 15 ? '15+' : String(pod.attempts);
    this.#podSeconds.with({ attempts }).observe((nowMs - (pod.firstAttemptMs ?? nowMs)) / 1000);
    if (pod.wasFlushed) this.#afterFlush.with().add();
  }
}
