import { isAssigned } from '../../api/meaning/index.ts';
import { AbortScope, type Clock, type Logger, nextTurn } from '../../base/index.ts';
import { type EventRecorder, type Objects, TaskPool } from '../../kit/index.ts';
import { type Patch, type Pod, strategicPatch } from '../../client/index.ts';
import { nominatedNode, type NominatedPods } from '../cache/nominated-pods.ts';
import type { SchedulerCache } from '../cache/scheduler-cache.ts';
import type { Snapshot } from '../cache/snapshot.ts';
import { assignedPodDelete } from '../framework/cluster-event.ts';
import { Cycle } from '../framework/cycle.ts';
import { PodRejectedError } from '../framework/fit-error.ts';
import type { Rejection } from '../framework/rejection.ts';
import type { Framework } from '../framework/framework.ts';
import type { StepOptions } from '../framework/plugin.ts';
import type { PreBindingPods } from '../framework/pre-binding-pods.ts';
import {
  isInterrupted,
  type PreBinder,
  preBindersOf,
  runBind,
  runPermit,
  runPostBind,
  runPreBind,
  runReserve,
  runUnreserve,
} from '../framework/run-binding.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import type { QueuedPod } from '../queue/queued-pod.ts';
import type { SchedulingQueue } from '../queue/scheduling-queue.ts';
import type { SchedulerMetrics } from '../scheduler-metrics.ts';
import { eventNote, recordRejection, verdictOf, verdictPatch } from './failure.ts';
import type { Placement, PodScheduler } from './schedule-pod.ts';
import { WakeUp } from './wake-up.ts';

/** Maximum number of bindings and status writes in flight. */
const MAX_TASKS = 64;
/** Pods scheduled before the loop yields to the event loop. */
const PODS_PER_TURN = 16;

export interface SchedulingLoopParts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: SchedulerMetrics;
  readonly queue: SchedulingQueue;
  readonly cache: SchedulerCache;
  readonly nominatedPods: NominatedPods;
  readonly preBindingPods: PreBindingPods;
  readonly snapshot: Snapshot;
  readonly scheduler: Pick<PodScheduler, 'schedule'>;
  readonly frameworks: ReadonlyMap<string, Framework>;
  readonly pods: Objects<Pod>;
  /** How long bindings in flight may take after the loop is asked to stop. */
  readonly stopGraceMs: number;
  /** The event recorder of a profile. */
  recorder(schedulerName: string): EventRecorder;
}

/** One attempt to schedule a pod. */
interface Attempt {
  readonly queued: QueuedPod;
  readonly framework: Framework;
  readonly startMs: number;
}

/** Takes pods from the queue one at a time and schedules them; binding runs in the background. */
export class SchedulingLoop {
  readonly #parts: SchedulingLoopParts;
  readonly #tasks = new TaskPool(MAX_TASKS);
  readonly #wakeUp = new WakeUp();
  readonly #stopTasks = new AbortController();
  /** Aborts PreBind waits when the loop stops. */
  readonly #stopWaits = new AbortController();
  #isTrying = false;
  /** The number of pods that wait for permission (Permit). */
  #waiting = 0;

  constructor(parts: SchedulingLoopParts) {
    this.#parts = parts;
    parts.queue.whenReady(() => this.#wakeUp.call());
  }

  /** True when there is nothing to do until time passes or an event arrives. */
  get isIdle(): boolean {
    return !this.#isTrying && this.#tasks.size + this.#waiting === 0 && !this.#parts.queue.isReady;
  }

  /** Runs a task in the background. The task must handle its own failures. */
  runInBackground(task: (options: StepOptions) => Promise<void>): void {
    this.#tasks.start(() => task({ signal: this.#stopTasks.signal }));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, stopGraceMs } = this.#parts;
    let grace: Disposable | undefined;
    const stopLater = (): void => {
      grace = clock.timer(stopGraceMs, () => this.#stopTasks.abort());
      this.#stopWaits.abort();
    };
    signal.addEventListener('abort', stopLater, { once: true });
    try {
      await this.#takeTurns(signal);
      await this.#tasks.idle();
    } finally {
      grace?.[Symbol.dispose]();
    }
  }

  async #takeTurns(signal: AbortSignal): Promise<void> {
    for (let turn = 1; !signal.aborted; turn++) {
      const queued = this.#parts.queue.pop();
      if (queued === undefined) {
        await this.#wakeUp.sleep(signal);
        continue;
      }
      this.#isTrying = true;
      const trying = this.#try(queued);
      if (trying instanceof Promise) await trying; // without extenders and failures the attempt is synchronous
      this.#isTrying = false;
      await this.#tasks.room();
      if (turn % PODS_PER_TURN === 0) await nextTurn();
    }
  }

  /** Schedules one pod; returns a promise only when an extender or PostFilter is asynchronous. */
  #try(queued: QueuedPod): Promise<void> | void {
    const { cache, clock, metrics, queue, scheduler, snapshot } = this.#parts;
    const framework = this.#parts.frameworks.get(queued.pod.schedulerName);
    if (framework === undefined || this.#isToSkip(queued)) return queue.done(queued.uid);
    const attempt: Attempt = { queued, framework, startMs: clock.monotonic() };
    const cycle = new Cycle(queued.pod);
    const found = ({ nodeName }: Placement): void => {
      metrics.algorithm(clock.monotonic() - attempt.startMs);
      this.#place(attempt, cycle, nodeName);
    };
    const failed = (error: unknown): void => {
      metrics.algorithm(clock.monotonic() - attempt.startMs);
      if (!this.#stopTasks.signal.aborted) this.#fail(attempt, error);
    };
    cache.update(snapshot);
    let placement: Placement | Promise<Placement>;
    try {
      placement = scheduler.schedule(framework, cycle, { signal: this.#stopTasks.signal });
    } catch (error) {
      return failed(error);
    }
    return placement instanceof Promise ? placement.then(found, failed) : found(placement);
  }

  #isToSkip({ pod }: QueuedPod): boolean {
    if (pod.pod.metadata.deletionTimestamp === undefined) return this.#parts.cache.isAssumed(pod.uid);
    this.#event(pod, {
      type: 'Warning',
      reason: 'FailedScheduling',
      message: `skip schedule deleting pod: ${pod.key}`,
    });
    return true;
  }

  /** Assumes the pod on its node and starts binding it. */
  #place(attempt: Attempt, cycle: Cycle, nodeName: string): void {
    const { queued, framework } = attempt;
    try {
      this.#parts.cache.assume(queued.pod, nodeName);
    } catch (error) {
      return this.#fail(attempt, error);
    }
    this.#parts.nominatedPods.delete(queued.uid);
    try {
      const rejection = runReserve(framework, cycle, nodeName);
      if (rejection !== undefined) throw new PodRejectedError(nodeName, rejection);
    } catch (error) {
      this.#takeBack(framework, cycle, nodeName);
      return this.#fail(attempt, error);
    }
    this.#tasks.start(() => this.#bind(attempt, cycle, nodeName));
  }

  async #bind(attempt: Attempt, cycle: Cycle, nodeName: string): Promise<void> {
    const { queued, framework, startMs } = attempt;
    const { clock, queue, metrics, log } = this.#parts;
    const options = { nodeName, signal: this.#stopTasks.signal };
    try {
      const permission = runPermit(framework, cycle, options);
      const preBinders = preBindersOf(framework, cycle, nodeName);
      const isWaiting = permission instanceof Promise;
      if (isWaiting) permission.catch(() => undefined); // the nomination is written first
      if (isWaiting || preBinders.length > 0) await this.#nominate(queued.pod, nodeName);
      const rejection = isWaiting ? await this.#permitted(permission) : permission;
      if (rejection !== undefined) throw new PodRejectedError(nodeName, rejection);
      queue.done(queued.uid); // no later failure makes the pod unschedulable
      if (preBinders.length > 0) await this.#preBind(preBinders, cycle, nodeName);
      await runBind(framework, cycle, options);
    } catch (error) {
      if (!this.#stopTasks.signal.aborted && !isInterrupted(error, this.#stopWaits.signal))
        this.#bindingFailed(attempt, cycle, { nodeName, error });
      return;
    }
    log.debug('pod bound', { pod: queued.key, node: nodeName, attempts: queued.attempts });
    metrics.attempt('scheduled', framework.schedulerName, clock.monotonic() - startMs);
    metrics.bound(queued, clock.now());
    const message = `Successfully assigned ${queued.key} to ${nodeName}`;
    this.#event(queued.pod, { type: 'Normal', reason: 'Scheduled', action: 'Binding', message });
    runPostBind(framework, cycle, nodeName);
  }

  /** A pod that waits for permission does not count towards `MAX_TASKS`. */
  async #permitted(permission: Promise<Rejection | undefined>): Promise<Rejection | undefined> {
    this.#waiting += 1;
    try {
      return await this.#tasks.aside(permission);
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Preemption of the pod aborts the PreBind plugins. */
  async #preBind(plugins: readonly PreBinder[], cycle: Cycle, nodeName: string): Promise<void> {
    using steps = new AbortScope(this.#stopTasks.signal);
    using rests = new AbortScope(this.#stopWaits.signal);
    using _ = this.#parts.preBindingPods.enter(cycle.pod.uid, (reason) => {
      steps.abort(reason);
      rests.abort(reason);
    });
    const rest = <T>(wait: (signal: AbortSignal) => Promise<T>): Promise<T> => this.#tasks.aside(wait(rests.signal));
    await runPreBind(plugins, cycle, { nodeName, signal: steps.signal, rest });
  }

  /** Publishes, in the pod's status, the node of a pod that may wait before it is bound. */
  async #nominate({ key, pod }: PodInfo, nodeName: string): Promise<void> {
    if (nominatedNode(pod) === nodeName) return;
    await this.#writeStatus(key, strategicPatch({ status: { nominatedNodeName: nodeName } }));
  }

  #bindingFailed(attempt: Attempt, cycle: Cycle, { nodeName, error }: { nodeName: string; error: unknown }): void {
    const { queued, framework } = attempt;
    const wasCounted = this.#takeBack(framework, cycle, nodeName);
    const moveOthers = (): void => {
      const old = queued.pod.onNode(nodeName).pod;
      if (wasCounted) this.#parts.queue.moveAll(assignedPodDelete, { old }, (pod) => pod.uid !== queued.uid);
    };
    if (!(error instanceof PodRejectedError)) moveOthers();
    this.#fail(attempt, error);
    if (error instanceof PodRejectedError) moveOthers(); // after the pod is back in the queue, so that its own removal does not move it
  }

  /** Undoes Reserve and the assumption; false if the pod was no longer assumed. */
  #takeBack(framework: Framework, cycle: Cycle, nodeName: string): boolean {
    runUnreserve(framework, cycle, nodeName);
    return this.#parts.cache.forget(cycle.pod.uid);
  }

  /** Returns the pod to the queue and reports the reason in an event and in its status. */
  #fail({ queued, framework, startMs }: Attempt, error: unknown): void {
    const { clock, log, metrics, nominatedPods, pods, queue } = this.#parts;
    const verdict = verdictOf(error);
    const isError = verdict.reason === 'SchedulerError';
    metrics.attempt(isError ? 'error' : 'unschedulable', framework.schedulerName, clock.monotonic() - startMs);
    recordRejection(queued, error);
    const current = pods.get(queued.key);
    if (isError && current !== undefined) log.error('scheduling failed', { pod: queued.key, error });
    else log.debug('pod was not scheduled', { pod: queued.key, why: verdict.message });
    if (current !== undefined && current.metadata.uid !== queued.uid) return queue.done(queued.uid); // a different pod with the same name
    const isWaiting = current !== undefined && !isAssigned(current);
    if (isWaiting) {
      queued.update(current);
      queue.putBack(queued);
      nominatedPods.set(queued.pod, verdict.nominatedNodeName);
    } else queue.done(queued.uid);
    this.#event(queued.pod, { type: 'Warning', reason: 'FailedScheduling', message: eventNote(verdict.message) });
    const patch = verdictPatch(queued.pod.pod, verdict, clock.now());
    if (isWaiting && patch !== undefined) this.#tasks.start(() => this.#writeStatus(queued.key, patch));
  }

  async #writeStatus(key: string, patch: Patch): Promise<void> {
    try {
      await this.#parts.pods.patchStatus(key, patch, { signal: this.#stopTasks.signal });
    } catch (error) {
      if (!this.#stopTasks.signal.aborted) this.#parts.log.warn('pod status was not written', { pod: key, error });
    }
  }

  #event(
    pod: PodInfo,
    details: { type: 'Normal' | 'Warning'; reason: string; message: string; action?: string },
  ): void {
    this.#parts.recorder(pod.schedulerName).event(pod.pod, { action: 'Scheduling', ...details });
  }
}
