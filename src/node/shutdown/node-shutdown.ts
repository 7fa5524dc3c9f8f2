import { type Clock, type Duration, type Logger, millisecondsOf, type Runnable } from '../../base/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import type { Eviction } from '../life/index.ts';
import { periodsOf, type ShutdownGroup, shutdownGroups, type ShutdownPeriod } from './shutdown-groups.ts';

/** Announces that the machine is about to shut down. On Linux this is systemd-logind, whose inhibitor delays the shutdown. */
export interface ShutdownSource {
  /** Yields true when the machine begins to shut down, and false when that was cancelled. */
  announcements(signal: AbortSignal): AsyncIterable<boolean>;
  /** Pods have ended: the machine need not wait any longer. */
  release(): Promise<void>;
}

/** How long pods have to end before the machine shuts down, as in a KubeletConfiguration. */
export interface NodeShutdownOptions {
  readonly source: ShutdownSource;
  /** `shutdownGracePeriod`, for all pods together; default 0. */
  readonly gracePeriod?: Duration;
  /** `shutdownGracePeriodCriticalPods`: the last part of it, for critical pods; default 0. */
  readonly criticalGracePeriod?: Duration;
  /** `shutdownGracePeriodByPodPriority`, in place of the two above. */
  readonly periods?: readonly ShutdownPeriod[];
}

export interface NodeShutdownParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** The pods that are neither ended nor ending. */
  pods(): readonly Observed<Pod>[];
  evict(pod: Observed<Pod>, eviction: Eviction): void;
  hasEnded(pod: Observed<Pod>): boolean;
  /** Records an event about the node. */
  event(reason: string, message: string): void;
  /** The node has begun or ceased to shut down. */
  changed(): void;
  readonly metrics: AgentMetrics;
}

const POLL_MS = 200;
const MESSAGE = 'Pod was terminated in response to imminent node shutdown.';

/** Ends pods before the machine shuts down: the least important first, each within its time. */
export class NodeShutdown implements Runnable {
  readonly #periods: readonly ShutdownPeriod[];
  readonly #source: ShutdownSource;
  readonly #parts: NodeShutdownParts;
  #isShuttingDown = false;

  constructor(options: NodeShutdownOptions, parts: NodeShutdownParts) {
    const { gracePeriod = 0, criticalGracePeriod = 0 } = options;
    this.#periods = options.periods ?? periodsOf(millisecondsOf(gracePeriod), millisecondsOf(criticalGracePeriod));
    this.#source = options.source;
    this.#parts = parts;
  }

  /** Why the node is not ready. */
  get problem(): string | undefined {
    return this.#isShuttingDown ? 'node is shutting down' : undefined;
  }

  refuse(): { readonly reason: string; readonly message: string } | undefined {
    if (!this.#isShuttingDown) return undefined;
    return { reason: 'NodeShutdown', message: 'Pod was rejected as the node is shutting down.' };
  }

  async run(signal: AbortSignal): Promise<void> {
    if (this.#periods.length === 0) return;
    const { event, changed } = this.#parts;
    for await (const isShuttingDown of this.#source.announcements(signal)) {
      this.#isShuttingDown = isShuttingDown;
      const what = isShuttingDown ? 'shutdown event' : 'shutdown cancellation';
      event('Shutdown', `Shutdown manager detected ${what}`);
      changed();
      if (!isShuttingDown) continue;
      this.#noteTime('kubelet_graceful_shutdown_start_time_seconds');
      for (const group of shutdownGroups(this.#periods, this.#parts.pods())) await this.#end(group, signal);
      this.#noteTime('kubelet_graceful_shutdown_end_time_seconds');
      await this.#source.release();
    }
  }

  #noteTime(name: 'kubelet_graceful_shutdown_start_time_seconds' | 'kubelet_graceful_shutdown_end_time_seconds'): void {
    const { metrics, clock } = this.#parts;
    metrics.set(name, clock.now() / 1000);
  }

  async #end({ pods, priority, graceSeconds }: ShutdownGroup, signal: AbortSignal): Promise<void> {
    const { clock, log, evict, hasEnded } = this.#parts;
    for (const pod of pods) {
      const own = pod.spec?.terminationGracePeriodSeconds ?? graceSeconds;
      log.info('pod is ended for the shutdown', { pod: keyOf(pod), graceSeconds: Math.min(own, graceSeconds) });
      const how = { graceSeconds: Math.min(own, graceSeconds), isDisruption: true, isRecorded: true };
      evict(pod, { reason: 'Terminated', message: MESSAGE, ...how });
    }
    const untilMs = clock.now() + graceSeconds * 1000;
    while (clock.now() < untilMs && !signal.aborted && !pods.every((pod) => hasEnded(pod)))
      await clock.sleep(POLL_MS, signal);
    if (!pods.every((pod) => hasEnded(pod))) log.warn('pods have not ended in time', { priority, graceSeconds });
  }
}
