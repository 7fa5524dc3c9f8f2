import { hasUntolerated, qosClassOf } from '../../api/meaning/index.ts';
import { type Clock, type Duration, type Logger, messageOf, millisecondsOf, type Runnable } from '../../base/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import type { MachinePressure } from '../backend/machine.ts';
import type { VolumeUsage } from '../runtime/index.ts';
import { type PodEviction, pressureEviction, storageEviction } from './eviction-reasons.ts';
import { isCriticalPod, rankPods } from './rank-pods.ts';
import { type NodeMeasurement, SIGNALS } from './signals.ts';
import {
  CALM,
  type EvictionState,
  metThresholds,
  mostUrgent,
  nextState,
  readThresholds,
  type Threshold,
  type ThresholdTexts,
  withContainerFilesystem,
} from './thresholds.ts';

/** When a node evicts pods, as in a KubeletConfiguration. */
export interface EvictionOptions extends ThresholdTexts {
  /** `evictionPressureTransitionPeriod`; default 5m. */
  readonly transitionPeriod?: Duration;
  /** `evictionMaxPodGracePeriod`, for soft thresholds; default 0. */
  readonly maxPodGraceSeconds?: number;
  /** `localStorageCapacityIsolation`: whether limits of ephemeral storage are enforced; default true. */
  readonly enforcesStorageLimits?: boolean;
}

/** Says how full the volumes of a pod are. */
export type VolumeSource = (pod: Observed<Pod>) => Promise<readonly VolumeUsage[]>;

/** Measures what evictions are decided by. */
export interface NodeMeter {
  measure(pods: readonly Observed<Pod>[], volumes: VolumeSource): Promise<NodeMeasurement>;
}

export interface EvictionOrder extends PodEviction {
  readonly graceSeconds: number;
  /** Whether the pod gets the condition DisruptionTarget. */
  readonly isDisruption: boolean;
}

export interface NodeEvictionsParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: NodeMeter;
  readonly volumes: VolumeSource;
  /** The pods that are neither ended nor ending. */
  pods(): readonly Observed<Pod>[];
  /** Begins to end a pod; `ageMs` is how long ago it was measured what it is evicted for. */
  evict(pod: Observed<Pod>, order: EvictionOrder, ageMs: number): void;
  /** Whether nothing of the pod runs any more. */
  hasEnded(pod: Observed<Pod>): boolean;
  /** Removes containers that have ended and images that no container uses, whatever their age. */
  removeUnused(what: 'containers' | 'images'): Promise<void>;
  /** Records an event about the node. */
  warn(reason: string, message: string): void;
  conditionsChanged(): void;
}

const LOOK_EVERY_MS = 10_000;
const TRANSITION_MS = 300_000;
const HARD_GRACE_SECONDS = 1;
/** How long an evicted pod may take before the next check, and how often it is looked at. */
const END_MS = 30_000;
const END_POLL_MS = 1000;
const MEMORY_TAINT = { key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' } as const;

/** Keeps a node from running out of memory, disk and processes: evicts pods, one at a time, while a threshold is reached. */
export class NodeEvictions implements Runnable {
  readonly #thresholds: readonly Threshold[];
  readonly #options: EvictionOptions;
  readonly #parts: NodeEvictionsParts;
  #state: EvictionState = CALM;
  #measuredAtMs = 0;

  constructor(options: EvictionOptions, parts: NodeEvictionsParts) {
    this.#thresholds = readThresholds(options);
    this.#options = options;
    this.#parts = parts;
  }

  /** What the node reports. */
  get pressure(): MachinePressure {
    const { conditions } = this.#state;
    return {
      memory: conditions.has('MemoryPressure'),
      disk: conditions.has('DiskPressure'),
      pid: conditions.has('PIDPressure'),
    };
  }

  /** Why a node under pressure does not take a new pod. */
  refuse(pod: Observed<Pod>): { readonly reason: string; readonly message: string } | undefined {
    const { conditions } = this.#state;
    if (conditions.size === 0 || isCriticalPod(pod)) return undefined;
    const isMemoryOnly = conditions.size === 1 && conditions.has('MemoryPressure');
    if (isMemoryOnly && qosClassOf(pod) !== 'BestEffort') return undefined;
    if (isMemoryOnly && !hasUntolerated([MEMORY_TAINT], pod.spec?.tolerations, ['NoSchedule'])) return undefined;
    return { reason: 'Evicted', message: `The node had condition: [${[...conditions].join(' ')}]. ` };
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#parts;
    while (!signal.aborted) {
      let evicted: readonly Observed<Pod>[] = [];
      try {
        evicted = await this.look();
      } catch (error) {
        log.warn('resources of the node cannot be measured', { error: messageOf(error) });
      }
      if (evicted.length > 0) await this.#ends(evicted, signal);
      else await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  /** Looks at the node once; returns the pods that are evicted. */
  async look(): Promise<readonly Observed<Pod>[]> {
    const pods = this.#parts.pods();
    const measured = await this.#parts.meter.measure(pods, this.#parts.volumes);
    const thresholds = withContainerFilesystem(this.#thresholds, measured);
    this.#note(thresholds, measured);
    const overLimits = this.#evictOverLimits(pods, measured);
    if (overLimits.length > 0) return overLimits;
    const { met } = this.#state;
    const threshold = mostUrgent(met);
    if (threshold === undefined) return [];
    const { resource } = SIGNALS[threshold.signal];
    this.#parts.log.warn('resource of the node runs out', { resource, signal: threshold.signal });
    this.#parts.warn('EvictionThresholdMet', `Attempting to reclaim ${resource}`);
    if (await this.#reclaim(threshold, measured)) return [];
    return this.#evictFirst(rankPods(pods, threshold.signal, measured), { threshold, thresholds: met, measured });
  }

  #note(thresholds: readonly Threshold[], { observations }: NodeMeasurement): void {
    const transitionMs = millisecondsOf(this.#options.transitionPeriod ?? TRANSITION_MS);
    const before = this.#state.conditions;
    const nowMs = this.#parts.clock.now();
    this.#measuredAtMs = nowMs;
    this.#state = nextState(this.#state, { thresholds, observations, nowMs, transitionMs });
    const { conditions } = this.#state;
    if (conditions.size !== before.size || [...conditions].some((each) => !before.has(each)))
      this.#parts.conditionsChanged();
  }

  #evictOverLimits(pods: readonly Observed<Pod>[], measured: NodeMeasurement): readonly Observed<Pod>[] {
    if (this.#options.enforcesStorageLimits === false) return [];
    return pods.filter((pod) => {
      const usage = measured.pods.get(pod.metadata.uid);
      const eviction = usage === undefined ? undefined : storageEviction(pod, usage, measured);
      if (eviction === undefined) return false;
      return this.#evict(pod, { ...eviction, graceSeconds: HARD_GRACE_SECONDS, isDisruption: false });
    });
  }

  /** Removes images and containers that are not in use; true when that was enough. */
  async #reclaim({ signal }: Threshold, { hasImageFilesystem }: NodeMeasurement): Promise<boolean> {
    const { filesystem } = SIGNALS[signal];
    if (filesystem === undefined || (hasImageFilesystem && filesystem === 'nodefs')) return false;
    for (const what of ['containers', 'images'] as const) {
      try {
        await this.#parts.removeUnused(what);
      } catch (error) {
        this.#parts.log.warn('unused things cannot be removed', { what, error: messageOf(error) });
      }
    }
    const { observations } = await this.#parts.meter.measure(this.#parts.pods(), this.#parts.volumes);
    return metThresholds(this.#thresholds, observations, true).length === 0;
  }

  #evictFirst(
    ranked: readonly Observed<Pod>[],
    about: Parameters<typeof pressureEviction>[1],
  ): readonly Observed<Pod>[] {
    const { maxPodGraceSeconds = 0 } = this.#options;
    const isHard = about.threshold.graceMs === 0;
    for (const pod of ranked) {
      const own = pod.spec?.terminationGracePeriodSeconds ?? maxPodGraceSeconds;
      const graceSeconds = isHard ? HARD_GRACE_SECONDS : Math.min(maxPodGraceSeconds, own);
      if (this.#evict(pod, { ...pressureEviction(pod, about), graceSeconds, isDisruption: true })) return [pod];
    }
    this.#parts.log.warn('no pod can be evicted', { signal: about.threshold.signal });
    return [];
  }

  #evict(pod: Observed<Pod>, order: EvictionOrder): boolean {
    if (isCriticalPod(pod)) {
      this.#parts.log.warn('critical pod is not evicted', { pod: keyOf(pod), message: order.message });
      return false;
    }
    this.#parts.log.info('pod is evicted', { pod: keyOf(pod), message: order.message });
    this.#parts.evict(pod, order, this.#parts.clock.now() - this.#measuredAtMs);
    return true;
  }

  async #ends(pods: readonly Observed<Pod>[], signal: AbortSignal): Promise<void> {
    const { clock, hasEnded } = this.#parts;
    for (let waitedMs = 0; waitedMs < END_MS && !signal.aborted; waitedMs += END_POLL_MS) {
      await clock.sleep(END_POLL_MS, signal);
      if (pods.every((pod) => hasEnded(pod))) return;
    }
  }
}
