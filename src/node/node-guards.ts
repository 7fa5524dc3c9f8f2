import { isTerminalPhase } from '../api/meaning/index.ts';
import { type Clock, type Logger, messageOf, type Runnable } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { EventRecorder } from '../kit/index.ts';
import type { MachinePressure, NodeBackend, NodeSettings } from './backend/index.ts';
import { NodeEvictions } from './eviction/index.ts';
import { ImageCollector } from './images/index.ts';
import type { Eviction } from './life/index.ts';
import type { NodeCounts } from './node-counts.ts';
import type { VolumeUsage } from './runtime/index.ts';
import { NodeShutdown } from './shutdown/index.ts';

/** A pod's worker, as far as guards use it. */
export interface GuardedPod {
  readonly hasEnded: boolean;
  evict(eviction: Eviction): void;
}

export interface NodeGuardsParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly backend: NodeBackend;
  readonly counts: Pick<NodeCounts, 'metrics'>;
  pods(): readonly Observed<Pod>[];
  worker(pod: Observed<Pod>): GuardedPod | undefined;
  /** Removes containers that have ended, of pods that have ended as well. */
  removeDead(hasEnded: (podUid: string) => boolean): Promise<void>;
  /** How full the volumes of a pod are. */
  volumes(pod: Observed<Pod>): Promise<readonly VolumeUsage[]>;
  /** Schedules a report of the node. */
  report(): void;
}

const PREEMPTION = {
  reason: 'Preempting',
  message: 'Preempted in order to admit critical pod',
  isDisruption: true,
  disruption: 'Pod was preempted by Kubelet to accommodate a critical pod.',
} as const;

/** What a node does for its own sake: it evicts pods when it runs out of something, ends them before a shutdown, and removes images. */
export class NodeGuards {
  readonly #settings: NodeSettings;
  readonly #parts: NodeGuardsParts;
  readonly #evictions: NodeEvictions | undefined;
  readonly #shutdown: NodeShutdown | undefined;
  /** Made when it is first needed, so that an idle node takes less memory. */
  #images: ImageCollector | undefined;

  constructor(settings: NodeSettings, parts: NodeGuardsParts) {
    this.#settings = settings;
    this.#parts = parts;
    const { meter } = parts.backend;
    if (settings.eviction !== undefined && meter !== undefined)
      this.#evictions = new NodeEvictions(settings.eviction, {
        ...this.#podParts(),
        evict: (pod, { signal, ...eviction }, ageMs) => {
          const labels = { eviction_signal: signal };
          parts.counts.metrics.add('kubelet_evictions', labels);
          parts.counts.metrics.observe('kubelet_eviction_stats_age_seconds', ageMs / 1000, labels);
          this.#podParts().evict(pod, eviction);
        },
        meter,
        volumes: parts.volumes,
        removeUnused: (what) => (what === 'images' ? this.#collector().removeUnused() : this.#removeDead()),
        warn: (reason, message) => this.#event('Warning', reason, message),
        conditionsChanged: () => parts.report(),
      });
    if (settings.shutdown !== undefined)
      this.#shutdown = new NodeShutdown(settings.shutdown, {
        ...this.#podParts(),
        event: (reason, message) => this.#event('Normal', reason, message),
        changed: () => parts.report(),
        metrics: parts.counts.metrics,
      });
  }

  get tasks(): readonly Runnable[] {
    return [this.#evictions, this.#shutdown].filter((task) => task !== undefined);
  }

  /** What evictions have found; undefined for a node without them. */
  get pressure(): MachinePressure | undefined {
    return this.#evictions?.pressure;
  }

  /** Why the node is not ready. */
  get problem(): string | undefined {
    return this.#shutdown?.problem;
  }

  /** Why the node does not take a new pod now. */
  refuse(pod: Observed<Pod>): { readonly reason: string; readonly message: string } | undefined {
    return this.#evictions?.refuse(pod) ?? this.#shutdown?.refuse();
  }

  /** The pods that run, and are not about to end. */
  active(): readonly Observed<Pod>[] {
    return this.#podParts().pods();
  }

  /** Begins to end a pod that makes room for a critical one; it has its own time to end. */
  preempt(pod: Observed<Pod>, resource: string): void {
    this.#parts.counts.metrics.add('kubelet_preemptions', { preemption_signal: resource });
    this.#podParts().evict(pod, PREEMPTION);
  }

  /** Whether nothing of the pod runs any more. */
  hasEnded(pod: Observed<Pod>): boolean {
    return this.#podParts().hasEnded(pod);
  }

  /** Removes images that fill the disk. */
  async collectImages(): Promise<void> {
    try {
      await this.#collector().collect();
    } catch (error) {
      this.#parts.log.warn('images cannot be collected', { error: messageOf(error) });
    }
  }

  #podParts(): Pick<NodeGuardsParts, 'clock' | 'log' | 'pods'> & {
    evict(pod: Observed<Pod>, eviction: Omit<Eviction, 'reason'> & { readonly reason?: string }): void;
    hasEnded(pod: Observed<Pod>): boolean;
  } {
    const { clock, log, pods, worker } = this.#parts;
    return {
      clock,
      log,
      pods: () => pods().filter((pod) => isActive(pod) && worker(pod)?.hasEnded === false),
      evict: (pod, eviction) => worker(pod)?.evict({ reason: 'Evicted', ...eviction }),
      hasEnded: (pod) => worker(pod)?.hasEnded !== false,
    };
  }

  async #removeDead(): Promise<void> {
    const active = new Set(
      this.#parts
        .pods()
        .filter(isActive)
        .map(({ metadata }) => metadata.uid),
    );
    await this.#parts.removeDead((uid) => !active.has(uid));
  }

  #collector(): ImageCollector {
    const { clock, backend } = this.#parts;
    const { images, runtime } = backend;
    const failed = (message: string): void => this.#event('Warning', 'FreeDiskSpaceFailed', message);
    const { limits } = this.#settings.images ?? {};
    const { metrics } = this.#parts.counts;
    return (this.#images ??= new ImageCollector({ clock, images, runtime, failed, limits, metrics }));
  }

  #event(type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { name } = this.#settings;
    const about = { kind: 'Node', apiVersion: '', metadata: { name, uid: name } };
    this.#parts.events.event(about, { type, reason, message });
  }
}

function isActive({ metadata, status }: Observed<Pod>): boolean {
  return metadata.deletionTimestamp === undefined && !isTerminalPhase(status?.phase);
}
