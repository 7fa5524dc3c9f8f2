import type { Observed, Pod } from '../../client/index.ts';
import { PodInfo } from '../cache/pod-info.ts';

/** A pod on its way through the scheduler, with its history. */
export class QueuedPod {
  #pod: PodInfo;
  /** When the pod came into the queue, or back to it. */
  timestampMs: number;
  /** When the pod could first be tried. */
  firstTryMs: number | undefined;
  /** How often the pod was tried. */
  attempts = 0;
  /** How often plugins rejected the pod. */
  rejections = 0;
  /** How many tries in a row failed by an error. */
  errorsInRow = 0;
  /** When the back-off ends; computed on first use. */
  backoffEndMs: number | undefined;
  /** The plugins that rejected the pod in its last try. */
  unschedulablePlugins: ReadonlySet<string> = new Set();
  /** The plugins that have asked for something outside of the scheduler which the pod waits for. */
  pendingPlugins: ReadonlySet<string> = new Set();
  /** The plugin that does not let the pod be tried at all. */
  gate: string | undefined;
  /** True when the last try came only because the pod had waited for too long. */
  wasFlushed = false;
  /** A number that orders pods with the same time stamp. */
  sequence = 0;

  constructor(pod: Observed<Pod>, nowMs: number) {
    this.#pod = new PodInfo(pod);
    this.timestampMs = nowMs;
  }

  get pod(): PodInfo {
    return this.#pod;
  }

  get key(): string {
    return this.#pod.key;
  }

  get uid(): string {
    return this.#pod.uid;
  }

  get isRejectedByPlugins(): boolean {
    return this.unschedulablePlugins.size > 0 || this.pendingPlugins.size > 0;
  }

  isRejectedBy(plugin: string): boolean {
    return this.unschedulablePlugins.has(plugin) || this.pendingPlugins.has(plugin);
  }

  /** Takes over a changed pod. */
  update(pod: Observed<Pod>): void {
    if (pod !== this.#pod.pod) this.#pod = new PodInfo(pod, this.#pod);
  }

  /** Clears what plugins said in the last try. */
  forgetRejections(): void {
    this.unschedulablePlugins = new Set();
    this.pendingPlugins = new Set();
    this.gate = undefined;
  }
}
