import type { Observed, Pod } from '../../client/index.ts';
import { PodInfo } from '../cache/pod-info.ts';

/** A pod in the scheduling queue, with its history. */
export class QueuedPod {
  #pod: PodInfo;
  /** When the pod entered the queue, or returned to it. */
  timestampMs: number;
  /** When the pod could first be scheduled. */
  firstAttemptMs: number | undefined;
  /** Number of scheduling attempts. */
  attempts = 0;
  /** Number of rejections by plugins. */
  rejections = 0;
  /** Number of consecutive attempts that failed with an error. */
  errorsInRow = 0;
  /** When the back-off ends; computed on first use. */
  backoffEndMs: number | undefined;
  /** The plugins that rejected the pod in its last attempt. */
  unschedulablePlugins: ReadonlySet<string> = new Set();
  /** The plugins with a `Pending` rejection in its last attempt. */
  pendingPlugins: ReadonlySet<string> = new Set();
  /** The PreEnqueue plugin that keeps the pod out of the active queue. */
  gate: string | undefined;
  /** True when the last attempt happened only because the pod had waited too long. */
  wasFlushed = false;
  /** Orders pods with the same timestamp. */
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

  /** Replaces the pod by a newer version. */
  update(pod: Observed<Pod>): void {
    if (pod !== this.#pod.pod) this.#pod = new PodInfo(pod, this.#pod);
  }

  /** Clears the rejections of the last attempt. */
  forgetRejections(): void {
    this.unschedulablePlugins = new Set();
    this.pendingPlugins = new Set();
    this.gate = undefined;
  }
}
