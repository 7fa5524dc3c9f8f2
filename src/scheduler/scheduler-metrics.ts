import {
  type Counter,
  exponentialBuckets,
  type Histogram,
  type MetricFamily,
  type MetricRegistry,
} from '../base/index.ts';
import type { SchedulerCache } from './cache/scheduler-cache.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';

export type AttemptResult = 'scheduled' | 'unschedulable' | 'error';

/** What the scheduler counts, under kube-scheduler's names. */
export class SchedulerMetrics {
  readonly #attempts: MetricFamily<'result' | 'profile', Counter>;
  readonly #attemptSeconds: MetricFamily<'result' | 'profile', Histogram>;
  readonly #podSeconds: MetricFamily<'attempts', Histogram>;
  readonly #podAttempts: Histogram;
  readonly #algorithmSeconds: Histogram;
  readonly #afterFlush: Counter;
  readonly #incoming: MetricFamily<'queue' | 'event', Counter>;

  constructor(registry: MetricRegistry) {
    const name = (short: string): string => `scheduler_${short}`;
    this.#attempts = registry.counter({
      name: name('schedule_attempts_total'),
      help: 'Tries to schedule pods, by result; an error is a fault of the scheduler or the API server',
      labels: ['result', 'profile'],
    });
    this.#attemptSeconds = registry.histogram({
      name: name('scheduling_attempt_duration_seconds'),
      help: 'How long tries take, with binding',
      labels: ['result', 'profile'],
      buckets: exponentialBuckets(0.001, 2, 15),
    });
    this.#algorithmSeconds = registry
      .histogram({
        name: name('scheduling_algorithm_duration_seconds'),
        help: 'How long finding a node takes',
        buckets: exponentialBuckets(0.001, 2, 15),
      })
      .with();
    this.#podSeconds = registry.histogram({
      name: name('pod_scheduling_sli_duration_seconds'),
      help: 'From when a pod could first be tried until it is bound, by the number of tries',
      labels: ['attempts'],
      buckets: exponentialBuckets(0.01, 2, 20),
    });
    this.#podAttempts = registry
      .histogram({
        name: name('pod_scheduling_attempts'),
        help: 'Tries until a pod is bound',
        buckets: exponentialBuckets(1, 2, 5),
      })
      .with();
    this.#afterFlush = registry
      .counter({
        name: name('pod_scheduled_after_flush_total'),
        help: 'Pods that were bound after they had waited for so long that they were tried without reason',
      })
      .with();
    this.#incoming = registry.counter({
      name: name('queue_incoming_pods_total'),
      help: 'Pods that came into a queue, by what brought them there',
      labels: ['queue', 'event'],
    });
  }

  /** Reads the sizes of queue and cache whenever somebody looks. */
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
    this.#algorithmSeconds.observe(ms / 1000);
  }

  attempt(result: AttemptResult, profile: string, ms: number): void {
    this.#attempts.with({ result, profile }).add();
    this.#attemptSeconds.with({ result, profile }).observe(ms / 1000);
  }

  bound(pod: QueuedPod, nowMs: number): void {
    this.#podAttempts.observe(pod.attempts);
    const attempts = pod.attempts >= 15 ? '15+' : String(pod.attempts);
    this.#podSeconds.with({ attempts }).observe((nowMs - (pod.firstTryMs ?? nowMs)) / 1000);
    if (pod.wasFlushed) this.#afterFlush.add();
  }
}
