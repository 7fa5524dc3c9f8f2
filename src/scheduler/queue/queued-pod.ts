import type { Observed, Pod } from '../../client/index.ts';
import { PodInfo } from '../cache/pod-info.ts';

/** A pod on its way through the scheduler, with its history. */
export class QueuedPod {
  #pod: PodInfo;
  /** When it came into the queue, or came back to it. */
  timestampMs: number;
  /** When it could first be tried. */
  firstTryMs: number | undefined;
  /** How often it was tried. */
  attempts = 0;
  /** How often it was rejected. */
  rejections = 0;
  /** How often in a row something failed which is not its fault. */
  errorsInRow = 0;
  /** When it may be tried again; worked out when it is first asked for. */
  backoffEndMs: number | undefined;
  /** The plugins that rejected it the last time. */
  unschedulablePlugins: ReadonlySet<string> = new Set();
  /** The plugins that asked for something that it now waits for. */
  pendingPlugins: ReadonlySet<string> = new Set();
  /** The plugin that does not let it be tried at all. */
  gate: string | undefined;
  /** Its last try was due to time only. */
  wasFlushed = false;
  /** Tells apart those that came at the same time. */
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

  /** The pod has changed. */
  update(pod: Observed<Pod>): void {
    if (pod !== this.#pod.pod) this.#pod = new PodInfo(pod, this.#pod);
  }

  /** What the last try brought no longer counts. */
  forgetRejections(): void {
    this.unschedulablePlugins = new Set();
    this.pendingPlugins = new Set();
    this.gate = undefined;
  }
}
