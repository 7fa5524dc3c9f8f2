import { millisecondsOf } from '../base/index.ts';
import { keyOf, type Observed, type Pod } from '../client/index.ts';
import type { EchoFilter, EventRecorder } from '../kit/index.ts';
import { deviceViews } from './devices/index.ts';
import {
  type ContainerView,
  type PodAction,
  planPod,
  type PodPlan,
  type PodStatus,
  type PodView,
  type ProbeResult,
} from './life/index.ts';
import { hasRecursiveReadOnly } from './machine/index.ts';
import { PodActions, type PodActionsParts } from './pod-actions.ts';
import { PodEvents, type RecordedEviction } from './pod-events.ts';
import { PodRecord } from './pod-record.ts';
import { PodReporter } from './pod-reporter.ts';
import type { PodWriter } from './pod-writer.ts';
import { hasProbes, PodProbes, type ProbeRecord } from './probes/index.ts';
import { type ContainerStatus, RuntimeError } from './runtime/index.ts';
import { TerminationMessages } from './termination-messages.ts';

/** What a pod's worker needs from its node. */
export interface PodWorkerParts extends PodActionsParts {
  readonly writer: PodWriter;
  readonly events: EventRecorder;
  /** Keeps the worker from being woken by its own reports. */
  readonly echoes: EchoFilter;
  /** Schedules another step for the pod. */
  wake(key: string): void;
  /** The pod has ended for good. Called before the status is written, so that its resources are free by then. */
  ended(uid: string): void;
}

/** Runtime calls under way for a pod. */
interface Operation {
  readonly abort: AbortController;
  /** The grace period of the stop; undefined for a start. */
  readonly graceSeconds: number | undefined;
  readonly done: Promise<void>;
}

/** Taking over volumes is not given up. */
const NEVER = new AbortController().signal;
/** Delay before a failed call of the runtime is tried again. */
const RETRY_MS = 10_000;

/**
 * Runs one pod, step by step: reads its state from the runtime, writes its status, and carries out the planned actions.
 *
 * `step` writes the status. Actions in the runtime may take long, so they run concurrently with later calls of `step`; when they are
 * done, the worker wakes the pod.
 */
export class PodWorker {
  readonly uid: string;
  readonly key: string;
  readonly #parts: PodWorkerParts;
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #actions: PodActions;
  readonly #probes: PodProbes | undefined;
  readonly #messages: TerminationMessages;
  #pod: Observed<Pod>;
  #operation: Operation | undefined;
  readonly #reporter: PodReporter;
  /** Time of the next try after the runtime failed. */
  #retryAtMs = 0;
  #isDeleted = false;
  /** Volumes that an earlier run of the agent mounted were taken over. */
  #isAdopted = false;

  constructor(pod: Observed<Pod>, parts: PodWorkerParts) {
    this.uid = pod.metadata.uid;
    this.key = keyOf(pod);
    this.#pod = pod;
    this.#parts = parts;
    this.#record = new PodRecord(pod);
    this.#events = new PodEvents(parts.events);
    this.#actions = new PodActions(this.uid, { record: this.#record, events: this.#events }, parts);
    this.#reporter = new PodReporter(this.key, { record: this.#record, events: this.#events }, parts);
    this.#messages = new TerminationMessages(this.uid, parts.backend);
    this.#probes = hasProbes(pod) ? this.#newProbes() : undefined;
  }

  /** Admission rejected the pod. */
  reject(rejection: { readonly reason: string; readonly message: string }): void {
    this.#record.rejection = rejection;
    this.#events.pod(this.#pod, { type: 'Warning', ...rejection });
  }

  /** Ends the pod before its time. */
  evict(eviction: RecordedEviction): void {
    if (this.#record.eviction !== undefined) return;
    this.#events.evicted(this.#pod, eviction, 'Warning');
    this.#record.eviction = { ...eviction, isRecorded: true };
    this.#operation?.abort.abort();
    this.#parts.wake(this.key);
  }

  /** Whether nothing of the pod runs any more, and nothing will be started. */
  get hasEnded(): boolean {
    return this.#record.hasEnded;
  }

  /** The status as this node knows it, also while it cannot be reported. */
  get status(): PodStatus {
    return this.#record.status;
  }

  /** Carries out one step; returns when the next one is due even if nothing changes. */
  async step(pod: Observed<Pod>): Promise<number | undefined> {
    this.#pod = pod;
    if (this.#operation !== undefined) return this.#hurry(pod, this.#operation);
    if (this.#parts.clock.now() < this.#retryAtMs) return this.#retryAtMs;
    this.#updateBackend(pod);
    const plan = planPod(await this.#observe(pod));
    this.#noteEnd(plan);
    this.#record.hasEnded = plan.stage === 'ended';
    if (plan.stage === 'ended') this.#parts.ended(this.uid);
    this.#pod = (await this.#reporter.report(pod, plan.status)) ?? pod;
    if (plan.actions.some(({ type }) => type === 'delete pod')) {
      if (this.#record.isReleased || !this.#parts.volumes.areHeld(pod)) await this.#delete(pod);
      else this.#begin(pod, [{ type: 'release' }]); // a pod whose volumes are still mounted is not gone
    } else if (plan.actions.length > 0) this.#begin(pod, plan.actions);
    const { retryAtMs } = this.#reporter;
    return retryAtMs === undefined ? plan.wakeAtMs : Math.min(plan.wakeAtMs ?? Infinity, retryAtMs);
  }

  /** What came of the probes of its running containers. */
  probeRecords(): Iterable<ProbeRecord> {
    return this.#probes?.records() ?? [];
  }

  /** Volumes that the pod waits for may be there now. */
  retryVolumes(): void {
    if (this.#record.waitsForVolumesSinceMs !== undefined) this.retrySandbox();
  }

  /** Retries a sandbox that could not be created: the cause may be gone. */
  retrySandbox(): void {
    if (this.#record.sandboxFailure === undefined) return;
    this.#record.sandboxFailure = undefined;
    this.#parts.wake(this.key);
  }

  /** Removes everything of a pod that was deleted from the API. */
  async remove(): Promise<void> {
    await this.halt();
    await this.#actions.removeAll(this.#pod);
  }

  /** Stops waiting for the runtime. The containers keep running. */
  async halt(): Promise<void> {
    this.#probes?.[Symbol.dispose]();
    this.#operation?.abort.abort();
    await this.#operation?.done;
  }

  #updateBackend(pod: Observed<Pod>): void {
    try {
      this.#parts.backend.podUpdated(pod);
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedSync', message: error.message });
    }
  }

  async #observe(pod: Observed<Pod>): Promise<PodView> {
    const { clock, backend, volumes } = this.#parts;
    const { name: runtimeName } = backend.runtime;
    const hostIps = backend.machine.addresses;
    const found = await this.#actions.state();
    if (found !== undefined && !this.#isAdopted) {
      await volumes.adopt(pod, { signal: NEVER });
      this.#parts.volumesMounted(pod);
    }
    this.#isAdopted = true;
    const all = found === undefined ? [] : await this.#withMessages(found.containers);
    const running = all.filter(({ state }) => state === 'CONTAINER_RUNNING');
    const ip = found?.sandbox.network.ip ?? '';
    this.#probes?.follow(pod, running, ip === '' && pod.spec?.hostNetwork === true ? (hostIps[0] ?? '') : ip);
    const containers = all.map((container): ContainerView => {
      const isRunning = container.state === 'CONTAINER_RUNNING';
      return { probe: isRunning ? this.#probeResult(container) : undefined, ...container };
    });
    const nowMs = clock.now();
    const resize = this.#record.followResize(this.#parts.resizes, pod, running);
    const hasLimits = found !== undefined && pod.status?.phase === 'Running'; // before that they are not reported
    const podLimits = hasLimits ? await backend.resources.limits(pod) : undefined;
    const { sandbox } = found ?? {};
    const runtime = { runtimeName, hasRecursiveReadOnly: await this.#hasRecursiveReadOnly(pod) };
    const { maxRestartDelay } = this.#parts.settings;
    const devicesOf = deviceViews(pod, backend.devices);
    const memory = this.#record;
    const maxRestartDelayMs = maxRestartDelay === undefined ? undefined : millisecondsOf(maxRestartDelay);
    const limits = { maxRestartDelayMs, podLimits };
    return { pod, nowMs, sandbox, containers, hostIps, ...runtime, ...limits, memory, resize, devicesOf };
  }

  /** False where the handler of the pod's RuntimeClass cannot be found: the status of the pod does not wait for it. */
  async #hasRecursiveReadOnly(pod: Observed<Pod>): Promise<boolean> {
    const { isolations, health } = this.#parts;
    try {
      this.#record.runtimeHandler ??= await isolations.runtimeHandler(pod, NEVER);
      return hasRecursiveReadOnly(health(), this.#record.runtimeHandler);
    } catch {
      return false;
    }
  }

  async #withMessages(containers: readonly ContainerStatus[]): Promise<readonly ContainerStatus[]> {
    if (!containers.some(({ state }) => state === 'CONTAINER_EXITED')) return containers;
    this.#messages.keepOnly(containers);
    return Promise.all(containers.map((container) => this.#messages.complete(container)));
  }

  #probeResult(container: ContainerStatus): ProbeResult | undefined {
    return this.#probes === undefined
      ? this.#parts.backend.actions.readiness(container)
      : this.#probes.result(container);
  }

  #newProbes(): PodProbes {
    const { clock, backend, wake } = this.#parts;
    return new PodProbes({
      clock,
      executor: backend.actions,
      runtimeName: backend.runtime.name,
      changed: () => wake(this.key),
      tell: (pod, container, event) => this.#events.container(pod, container, { type: 'Warning', ...event }),
    });
  }

  /** Aborts a start when the pod is deleted, and a stop when its grace period was shortened. */
  #hurry({ metadata }: Observed<Pod>, { graceSeconds, abort }: Operation): undefined {
    if (metadata.deletionTimestamp === undefined) return;
    const isShorter = (metadata.deletionGracePeriodSeconds ?? Infinity) < (graceSeconds ?? 0);
    if (graceSeconds === undefined || isShorter) abort.abort();
  }

  #noteEnd({ stage, eviction }: PodPlan): void {
    if (stage === 'running' || this.#record.terminatingSinceMs !== undefined) return;
    this.#record.terminatingSinceMs = this.#parts.clock.now();
    if (eviction !== undefined) this.#events.evicted(this.#pod, eviction, 'Normal');
  }

  async #delete(pod: Observed<Pod>): Promise<void> {
    if (this.#isDeleted || pod.metadata.uid !== this.uid) return;
    await this.#parts.writer.delete(pod);
    this.#isDeleted = true; // finalizers may keep the pod, but the node is done with it
  }

  #begin(pod: Observed<Pod>, actions: readonly PodAction[]): void {
    const abort = new AbortController();
    const stops = actions.flatMap((action) => (action.type === 'stop container' ? [action.graceSeconds] : []));
    const isStart = actions.some(({ type }) => type === 'run sandbox' || type === 'start container');
    const graceSeconds = isStart ? undefined : Math.max(0, ...stops);
    const done = this.#carryOut(pod, actions, abort.signal).finally(() => {
      this.#operation = undefined;
      this.#parts.wake(this.key);
    });
    this.#operation = { abort, graceSeconds, done };
  }

  async #carryOut(pod: Observed<Pod>, actions: readonly PodAction[], signal: AbortSignal): Promise<void> {
    try {
      await this.#actions.carryOut(pod, actions, signal);
    } catch (error) {
      if (signal.aborted) return; // aborted on purpose
      this.#parts.log.warn('runtime call failed', { error, pod: this.key });
      this.#retryAtMs = this.#parts.clock.now() + RETRY_MS;
    }
  }
}
