import { type Clock, discardLogger, type Logger } from '../../base/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';
import { NominatedPods } from '../cache/nominated-pods.ts';
import {
  type Change,
  type ClusterEvent,
  forcedActivation,
  labelOf,
  unscheduledPodAdd,
  unscheduledPodUpdate,
  unschedulableTimeout,
} from '../framework/cluster-event.ts';
import type { Framework } from '../framework/framework.ts';
import type { Rejection } from '../framework/rejection.ts';
import { podChanges } from '../watch/pod-changes.ts';
import { type BackoffOptions, BackoffTimes } from './backoff-times.ts';
import { InFlight } from './in-flight.ts';
import { type Place, PodPlaces } from './pod-places.ts';
import { QueuedPod } from './queued-pod.ts';
import { type RetryAdvice, RetryHints } from './retry-hints.ts';

export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly log?: Logger;
  readonly backoff?: BackoffOptions;
  /** Kept in step with the pods of this queue. */
  readonly nominatedPods?: NominatedPods;
  /** A pod that waits for an event is retried after this time; default 5 minutes. */
  readonly maxUnschedulableMs?: number;
  /** Called when a pod enters a place. */
  onArrival?(place: 'active' | 'backoff' | 'unschedulable', event: string): void;
}

/** How often the queue looks for pods that have waited too long. */
const FLUSH_EVERY_MS = 30_000;

/**
 * The pods without a node: decides which is scheduled next, and when a rejected one is retried.
 *
 * A rejected pod waits for an event that the plugins which rejected it consider worth a retry, and then for the rest of
 * its back-off; while the queue has nothing else to do, the back-off after a rejection is cut short (KEP-5142). A pod
 * that failed with an error is retried after its back-off.
 */
export class SchedulingQueue implements Disposable {
  readonly #options: SchedulingQueueOptions;
  readonly #frameworks: ReadonlyMap<string, Framework>;
  readonly #hints: RetryHints;
  readonly #backoff: BackoffTimes;
  readonly #places: PodPlaces;
  readonly #inFlight = new InFlight();
  readonly #nominatedPods: NominatedPods;
  #onReady: (() => void) | undefined;
  #backoffTimer: { readonly atMs: number; readonly timer: Disposable } | undefined;
  #flushTimer: Disposable | undefined;

  constructor(frameworks: ReadonlyMap<string, Framework>, options: SchedulingQueueOptions) {
    const [first] = frameworks.values();
    const [sort] = first?.at('QueueSort') ?? [];
    if (sort === undefined) throw new Error('Cannot make a scheduling queue: there is no profile');
    this.#options = options;
    this.#nominatedPods = options.nominatedPods ?? new NominatedPods();
    this.#frameworks = frameworks;
    this.#hints = new RetryHints(frameworks.values(), options.log ?? discardLogger);
    this.#backoff = new BackoffTimes(options.clock, options.backoff);
    this.#places = new PodPlaces({ backoff: this.#backoff, isBefore: (a, b) => sort.queueSort(a, b) });
  }

  /** Whether `pop` would return a pod. */
  get isReady(): boolean {
    return this.#places.size('active') > 0 || this.#places.size('backoff') > 0;
  }

  /** The number of waiting pods, by the queue names in metrics. */
  get counts(): Readonly<Record<'active' | 'backoff' | 'unschedulable' | 'gated', number>> {
    const waiting = this.#places.unschedulable();
    const gated = waiting.filter(({ gate }) => gate !== undefined).length;
    return {
      active: this.#places.size('active'),
      backoff: this.#places.size('backoff') + this.#places.size('errorBackoff'),
      unschedulable: waiting.length - gated,
      gated,
    };
  }

  /** The number of waiting pods that each plugin rejected. */
  countRejections(): { plugin: string; profile: string; value: number }[] {
    const counts = new Map<string, { plugin: string; profile: string; value: number }>();
    for (const pod of this.#places.all()) {
      const profile = pod.pod.schedulerName;
      for (const plugin of [...pod.unschedulablePlugins, ...pod.pendingPlugins]) {
        const key = `${profile}/${plugin}`;
        const entry = counts.get(key) ?? { plugin, profile, value: 0 };
        entry.value += 1;
        counts.set(key, entry);
      }
    }
    return [...counts.values()];
  }

  placeOf(key: string): Place | undefined {
    return this.#places.placeOf(key);
  }

  /** Registers a callback for when `pop` would return a pod again. */
  whenReady(onReady: () => void): void {
    this.#onReady = onReady;
  }

  /** Takes the next pod; the caller ends the attempt with `done` or `putBack`. */
  pop(): QueuedPod | undefined {
    for (;;) {
      const next = this.#places.take('active') ?? this.#places.take('backoff');
      if (next === undefined) return undefined;
      if (!this.#inFlight.add(next.uid)) continue; // an attempt for this pod is in progress, and ends with putBack
      next.attempts += 1;
      return next;
    }
  }

  /** Ends an attempt whose pod has a node, or needs none any more. */
  done(uid: string): void {
    this.#inFlight.done(uid);
  }

  add(pod: Observed<Pod>): void {
    this.#enterNew(pod, labelOf(unscheduledPodAdd));
  }

  /** Replaces a changed pod, and moves it if the change may make it schedulable. */
  update(old: Observed<Pod>, now: Observed<Pod>): void {
    const events = podChanges(old, now);
    const change = { old, now };
    if (this.#inFlight.has(now.metadata.uid)) {
      for (const event of events) this.#inFlight.record(event, change);
      return;
    }
    const key = keyOf(now);
    const queued = this.#places.get(key);
    if (queued === undefined) {
      this.#enterNew(now, labelOf(unscheduledPodUpdate));
      return;
    }
    this.#places.change(key, (pod) => pod.update(now));
    this.#nominatedPods.update(old, queued.pod);
    if (this.#places.placeOf(key) !== 'unschedulable') return;
    for (const event of events) {
      const advice = this.#hints.advise(queued, event, change);
      if (advice !== 'leave' && this.#requeue(queued, advice, labelOf(event)) !== 'unschedulable') return;
    }
  }

  delete(pod: Observed<Pod>): void {
    this.#nominatedPods.delete(pod.metadata.uid);
    this.#places.remove(keyOf(pod));
  }

  /** Takes a pod back after a failed attempt; it carries the names of the plugins that rejected it. */
  putBack(pod: QueuedPod): void {
    if (this.#places.get(pod.key) === undefined) {
      if (pod.isRejectedByPlugins) {
        pod.rejections += 1;
        pod.errorsInRow = 0;
      } else pod.errorsInRow += 1;
      pod.timestampMs = this.#options.clock.now();
      pod.backoffEndMs = undefined;
      pod.wasFlushed = false;
      this.#requeue(pod, this.#adviceAfterAttempt(pod), 'ScheduleAttemptFailure');
    }
    this.done(pod.uid);
  }

  /** Moves a waiting pod to the active queue, whichever plugin rejected it. */
  activate(key: string): void {
    const pod = this.#places.get(key);
    if (pod !== undefined) this.#enter(pod, 'active', labelOf(forcedActivation));
    else this.#inFlight.record(forcedActivation, {}); // the pod may be in flight; the event is considered when it returns
  }

  /** Moves the pods for which a cluster event justifies another attempt. */
  moveAll(event: ClusterEvent, change: Change, isConcerned?: (pod: QueuedPod) => boolean): void {
    if (!this.#hints.isOfInterest(event)) return;
    const waiting = this.#places.unschedulable((pod) => this.#hints.mayConcern(pod, event));
    for (const pod of waiting) if (isConcerned?.(pod) !== false) this.#move(pod, event, change);
    this.#inFlight.record(event, change);
  }

  [Symbol.dispose](): void {
    this.#onReady = undefined;
    this.#backoffTimer?.timer[Symbol.dispose]();
    this.#flushTimer?.[Symbol.dispose]();
  }

  #move(pod: QueuedPod, event: ClusterEvent, change: Change): void {
    if (pod.gate !== undefined && !this.#hints.mayOpenGate(pod, event)) return;
    const advice = this.#hints.advise(pod, event, change);
    if (advice !== 'leave') this.#requeue(pod, advice, labelOf(event));
  }

  /** Events during the attempt count as if the pod had been waiting. */
  #adviceAfterAttempt(pod: QueuedPod): RetryAdvice {
    if (!pod.isRejectedByPlugins) return 'afterBackoff';
    const events = this.#inFlight.eventsSince(pod.uid);
    if (events === undefined) return 'afterBackoff';
    let advice: RetryAdvice = 'leave';
    for (const { event, change } of events) {
      const next = this.#hints.advise(pod, event, change);
      if (next === 'now') return 'now';
      if (next === 'afterBackoff') advice = 'afterBackoff';
    }
    return advice;
  }

  #requeue(pod: QueuedPod, advice: RetryAdvice, event: string): Place {
    if (advice === 'leave') return this.#arrive(pod, 'unschedulable', event);
    if (advice === 'now' || this.#backoff.isOver(pod)) return this.#enter(pod, 'active', event);
    return this.#enter(pod, pod.isRejectedByPlugins ? 'backoff' : 'errorBackoff', event);
  }

  #enterNew(pod: Observed<Pod>, event: string): void {
    const queued = new QueuedPod(pod, this.#options.clock.now());
    if (this.#enter(queued, 'active', event) === 'active') this.#nominatedPods.set(queued.pod);
  }

  /** Puts a pod into the place, unless a PreEnqueue plugin gates it. */
  #enter(pod: QueuedPod, place: 'active' | 'backoff' | 'errorBackoff', event: string): Place {
    const rejection = this.#gateOf(pod);
    pod.gate = rejection?.plugin;
    if (rejection !== undefined) {
      pod.unschedulablePlugins = new Set([...pod.unschedulablePlugins, rejection.plugin]);
      return this.#arrive(pod, 'unschedulable', event);
    }
    if (place === 'active') pod.firstAttemptMs ??= this.#options.clock.now();
    return this.#arrive(pod, place, event);
  }

  #gateOf(pod: QueuedPod): Rejection | undefined {
    for (const plugin of this.#frameworks.get(pod.pod.schedulerName)?.at('PreEnqueue') ?? []) {
      const rejection = plugin.preEnqueue(pod.pod);
      if (rejection !== undefined) return rejection;
    }
    return undefined;
  }

  #arrive(pod: QueuedPod, place: Place, event: string): Place {
    if (this.#places.placeOf(pod.key) === place) return place;
    this.#places.put(pod, place);
    this.#options.onArrival?.(place === 'errorBackoff' ? 'backoff' : place, event);
    if (place === 'unschedulable') this.#planFlush();
    else if (place !== 'active') this.#planBackoffEnd();
    if (place === 'active' || place === 'backoff') this.#onReady?.();
    return place;
  }

  /** Sets a timer for the next back-off end, if there is one. */
  #planBackoffEnd(): void {
    const atMs = this.#places.nextBackoffEndMs();
    if (atMs === undefined || (this.#backoffTimer !== undefined && this.#backoffTimer.atMs <= atMs)) return;
    this.#backoffTimer?.timer[Symbol.dispose]();
    const endBackoffs = (): void => {
      this.#backoffTimer = undefined;
      for (let pod = this.#places.takeBackedOff(); pod !== undefined; pod = this.#places.takeBackedOff())
        this.#arrive(pod, 'active', 'BackoffComplete');
      this.#planBackoffEnd();
    };
    this.#backoffTimer = { atMs, timer: this.#options.clock.timer(atMs - this.#options.clock.now(), endBackoffs) };
  }

  #planFlush(): void {
    if (this.#flushTimer !== undefined) return;
    this.#flushTimer = this.#options.clock.timer(FLUSH_EVERY_MS, () => {
      this.#flushTimer = undefined;
      this.#flush();
      if (this.#places.unschedulable().some(({ gate }) => gate === undefined)) this.#planFlush();
    });
  }

  #flush(): void {
    const { clock, maxUnschedulableMs = 300_000 } = this.#options;
    for (const pod of this.#places.unschedulable()) {
      if (clock.now() - pod.timestampMs <= maxUnschedulableMs) continue;
      pod.wasFlushed = true;
      this.#move(pod, unschedulableTimeout, {});
    }
  }
}
