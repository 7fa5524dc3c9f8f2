import type { Logger } from '../../base/index.ts';
import { type Change, type ClusterEvent, concerns, isAboutEverything } from '../framework/cluster-event.ts';
import type { Framework, PluginInterest } from '../framework/framework.ts';
import type { QueuedPod } from './queued-pod.ts';

/** What to do with a waiting pod: leave it, retry it after its back-off, or retry it at once. */
export type RetryAdvice = 'leave' | 'afterBackoff' | 'now';

/** Asks the plugins that rejected a pod whether a cluster event justifies another attempt. */
export class RetryHints {
  readonly #interests: ReadonlyMap<string, readonly PluginInterest[]>;
  readonly #log: Logger;
  /** The plugins interested in an event, by resource and action. */
  readonly #interested = new Map<string, ReadonlySet<string>>();

  constructor(frameworks: Iterable<Framework>, log: Logger) {
    this.#interests = new Map(Array.from(frameworks, ({ schedulerName, interests }) => [schedulerName, interests]));
    this.#log = log;
  }

  /** Whether any plugin is interested in the event. */
  isOfInterest(event: ClusterEvent): boolean {
    return isAboutEverything(event) || this.#interestedIn(event).size > 0;
  }

  /** Whether a plugin that rejected the pod is interested in the event: a cheap check before the hints run. */
  mayConcern(pod: QueuedPod, event: ClusterEvent): boolean {
    if (!pod.isRejectedByPlugins || isAboutEverything(event)) return true;
    for (const plugin of this.#interestedIn(event)) if (pod.isRejectedBy(plugin)) return true;
    return false;
  }

  #interestedIn(event: ClusterEvent): ReadonlySet<string> {
    const key = `${event.resource} ${event.action}`;
    let plugins = this.#interested.get(key);
    if (plugins === undefined) {
      const all = [...this.#interests.values()].flat();
      plugins = new Set(all.filter(({ interest }) => concerns(interest, event)).map(({ plugin }) => plugin));
      this.#interested.set(key, plugins);
    }
    return plugins;
  }

  /** Whether the plugin that gates the pod is interested in the event. */
  mayOpenGate(pod: QueuedPod, event: ClusterEvent): boolean {
    const interests = this.#interests.get(pod.pod.schedulerName) ?? [];
    return interests.some(({ plugin, interest }) => plugin === pod.gate && concerns(interest, event));
  }

  advise(pod: QueuedPod, event: ClusterEvent, change: Change): RetryAdvice {
    if (!pod.isRejectedByPlugins || isAboutEverything(event)) return 'afterBackoff';
    let advice: RetryAdvice = 'leave';
    for (const { plugin, interest } of this.#interests.get(pod.pod.schedulerName) ?? []) {
      if (!pod.isRejectedBy(plugin) || !concerns(interest, event)) continue;
      if (!this.#isWorthRetry({ plugin, interest }, pod, change)) continue;
      if (pod.pendingPlugins.has(plugin)) return 'now';
      if (pod.pendingPlugins.size === 0) return 'afterBackoff';
      advice = 'afterBackoff';
    }
    return advice;
  }

  /** A hint that throws counts as a yes: a needless attempt is better than a stuck pod. */
  #isWorthRetry({ plugin, interest }: PluginInterest, pod: QueuedPod, change: Change): boolean {
    try {
      return interest.isWorthRetry?.(pod.pod, change as Change<never>) ?? true;
    } catch (error) {
      this.#log.error('queueing hint failed', { plugin, pod: pod.key, error });
      return true;
    }
  }
}
