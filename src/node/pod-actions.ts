import { type Logger, messageOf, nextTurn } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import { ContainerStarter, type StarterParts } from './container-starter.ts';
import type { PodAction } from './life/index.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodNetwork } from './pod-network.ts';
import type { PodRecord } from './pod-record.ts';
import { deadContainers, type PodRuntimeState, PodState } from './pod-state.ts';
import { carryOutResize, type PodResizes } from './resizing/index.ts';
import { mountVolumes } from './volumes/index.ts';
import { RuntimeError } from './runtime/index.ts';
import { isStaticPod } from './static-pods/index.ts';

export interface PodActionsParts extends StarterParts {
  readonly log: Logger;
  readonly resizes: PodResizes;
  /** Receives the addresses of pods; default they are not reported. */
  readonly network?: PodNetwork | undefined;
  /** Called when volumes of the pod are mounted; their content may have to be updated from now on. */
  volumesMounted(pod: Observed<Pod>): void;
}

type StartAction = Extract<PodAction, { type: 'start container' }>;
type StopAction = Extract<PodAction, { type: 'stop container' }>;

/** Delay before a failed call of the runtime is tried again. */
const RETRY_MS = 10_000;
/** A pod whose network takes longer than this to know its addresses has an event. */
const WARN_AFTER_MS = 10_000;
/** Minimum grace period: for deleted pods, and after a preStop hook that used up the grace period. */
const MIN_STOP_SECONDS = 2;

/** A pod may have thousands of containers, and a runtime in this process may never make the agent wait. */
const ACTIONS_A_TURN = 16;

/** Carries out the planned actions of one pod in the runtime. */
export class PodActions {
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #parts: PodActionsParts;
  readonly #starter: ContainerStarter;
  readonly #state: PodState;

  constructor(uid: string, about: { readonly record: PodRecord; readonly events: PodEvents }, parts: PodActionsParts) {
    this.#state = new PodState(uid, parts.backend.runtime);
    this.#record = about.record;
    this.#events = about.events;
    this.#parts = parts;
    this.#starter = new ContainerStarter(about.record, about.events, parts);
  }

  /** The pod's newest sandbox with its containers, if there is any. */
  state(): Promise<PodRuntimeState | undefined> {
    return this.#state.read();
  }

  /** Stops containers concurrently, then carries out the other actions in order, until one of them fails. */
  async carryOut(pod: Observed<Pod>, actions: readonly PodAction[], signal: AbortSignal): Promise<void> {
    const stops = actions.filter((action): action is StopAction => action.type === 'stop container');
    await Promise.all(stops.map((action) => this.#stopContainer(pod, action, signal)));
    for (const [index, action] of actions.entries()) {
      if (index % ACTIONS_A_TURN === ACTIONS_A_TURN - 1) await nextTurn();
      if (signal.aborted || !(await this.#do(pod, action, signal))) return;
    }
  }

  /** Removes everything of a deleted pod. */
  async removeAll(pod: Observed<Pod>): Promise<void> {
    const { runtime, files } = this.#parts.backend;
    if (!this.#record.hasEnded) await this.#stopAll(pod);
    this.#parts.network?.detached(pod);
    for (const id of await this.#state.ids()) await runtime.removePodSandbox(id);
    if (!this.#record.isReleased || this.#parts.volumes.hasAny(pod)) await this.#release(pod);
    await this.#parts.backend.resources.remove(pod.metadata.uid);
    await files.removePod(pod.metadata.uid);
    this.#parts.isolations.release(pod.metadata.uid);
  }

  async #stopAll(pod: Observed<Pod>): Promise<void> {
    const { containers = [] } = (await this.#state.read()) ?? {};
    const running = containers.filter(({ state }) => state === 'CONTAINER_RUNNING');
    await Promise.all(
      running.map(async (container) => {
        this.#events.stopping(pod, container.metadata.name);
        await this.#parts.backend.runtime.stopContainer(container.id, MIN_STOP_SECONDS);
      }),
    );
  }

  /** Releases volumes and devices of a pod whose containers have stopped. */
  async #release(pod: Observed<Pod>): Promise<void> {
    await this.#parts.volumes.unmountAll(pod);
    await this.#parts.backend.devices.unprepare(pod.metadata.uid);
    this.#record.deviceEdits = undefined;
    this.#record.isReleased = true;
  }

  async #stopContainer(pod: Observed<Pod>, action: StopAction, signal: AbortSignal): Promise<void> {
    const { id, metadata } = action.container;
    const isFirst = this.#record.stopping.add(id);
    if (isFirst) this.#events.stopping(pod, metadata.name, action.message);
    const takenSeconds = isFirst ? await this.#beforeStop(pod, action, signal) : 0;
    if (signal.aborted) return;
    const leftSeconds = Math.max(action.graceSeconds - takenSeconds, MIN_STOP_SECONDS);
    await this.#parts.backend.runtime.stopContainer(id, leftSeconds, { signal });
  }

  /** Runs the preStop hook within the grace period; returns how many seconds it took. */
  async #beforeStop(pod: Observed<Pod>, action: StopAction, signal: AbortSignal): Promise<number> {
    const { id, metadata } = action.container;
    const { clock, hooks } = this.#parts;
    const all = [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])];
    const container = all.find(({ name }) => name === metadata.name);
    const handler = container?.lifecycle?.preStop;
    if (container === undefined || handler === undefined) return 0;
    const expiry = new AbortController();
    using _timer = clock.timer(action.graceSeconds * 1000, () => expiry.abort());
    const beganMs = clock.now();
    const podIp = pod.status?.podIP ?? '';
    const target = { containerId: id, container, podIp, purpose: 'preStop' } as const;
    const warn = (words: string): void => this.#events.hookFallback(pod, words);
    const failure = await hooks.run(handler, target, { signal: AbortSignal.any([signal, expiry.signal]), warn });
    if (failure !== undefined && !expiry.signal.aborted && !signal.aborted)
      this.#events.container(pod, metadata.name, {
        type: 'Warning',
        reason: 'FailedPreStopHook',
        message: 'PreStopHook failed',
      });
    return Math.trunc((clock.now() - beganMs) / 1000);
  }

  /** True when the next action may be carried out. */
  async #do(pod: Observed<Pod>, action: PodAction, signal: AbortSignal): Promise<boolean> {
    const { runtime } = this.#parts.backend;
    switch (action.type) {
      case 'run sandbox':
        this.#record.isReleased = false;
        return this.#runSandbox(pod, action.attempt, signal);
      case 'start container':
        if (this.#state.sandbox === undefined)
          throw new RuntimeError('NotFound', 'Cannot start a container without a sandbox');
        return this.#start(pod, action, signal);
      case 'hold back':
        this.#starter.holdBack(pod, action);
        return true;
      case 'resize pod':
        return this.#resize(pod, signal);
      case 'remove container':
        await runtime.removeContainer(action.container.id, { signal });
        return true;
      case 'stop sandbox':
        this.#record.attachedSandbox = undefined;
        this.#parts.network?.detached(pod);
        await runtime.stopPodSandbox(action.id, { signal });
        await this.#release(pod);
        return true;
      case 'release':
        await this.#release(pod);
        return true;
      case 'stop container': // stopped concurrently before
      case 'delete pod': // belongs to the step
        return true;
    }
  }

  /** Starts a container, and removes its dead runs but the last. */
  async #start(pod: Observed<Pod>, action: StartAction, signal: AbortSignal): Promise<boolean> {
    const { sandbox } = this.#state;
    if (sandbox === undefined) return false;
    await this.#attach(pod, sandbox.id, signal);
    const addresses = (): Promise<readonly string[]> => this.#state.addresses(sandbox.id);
    const isStarted = await this.#starter.start(pod, action, { sandbox, addresses, signal });
    if (isStarted && !signal.aborted) this.#parts.resizes.started(pod, action.container.name);
    if (action.attempt >= 2 && !signal.aborted) {
      const { runtime } = this.#parts.backend;
      const { containers = [] } = (await this.#state.read()) ?? {};
      for (const { id } of deadContainers(containers)) await runtime.removeContainer(id, { signal });
    }
    return isStarted;
  }

  /** Reports the pod's addresses to the network, once for each sandbox, and waits until it has them in force. */
  async #attach(pod: Observed<Pod>, sandboxId: string, signal: AbortSignal): Promise<void> {
    const { network, clock } = this.#parts;
    if (network === undefined || pod.spec?.hostNetwork === true || isStaticPod(pod)) return;
    if (this.#record.attachedSandbox === sandboxId) return;
    const addresses = await this.#state.addresses(sandboxId);
    const message = 'the network does not take the addresses of the pod yet, so its containers wait';
    using _warning = clock.timer(WARN_AFTER_MS, () =>
      this.#events.pod(pod, { type: 'Warning', reason: 'NetworkNotReady', message }),
    );
    await network.attached(pod, addresses, { signal });
    this.#record.attachedSandbox = sandboxId;
  }

  /** Containers that start anyway get their resources then, so a failure holds up nothing else. */
  async #resize(pod: Observed<Pod>, signal: AbortSignal): Promise<boolean> {
    const { resizePlan: plan } = this.#record;
    const { backend, resizes, clock, counts } = this.#parts;
    if (plan === undefined || this.#state.sandbox === undefined) return true;
    this.#record.resizeRetryAtMs = undefined;
    const beganMs = clock.monotonic();
    let isDone = false;
    try {
      await carryOutResize(pod, backend, {
        plan,
        sandboxId: this.#state.sandbox.id,
        signal,
        actuated: (change) => resizes.actuated(pod, change),
      });
      isDone = true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#record.resizeRetryAtMs = clock.now() + RETRY_MS;
      resizes.failed(pod, messageOf(error));
    } finally {
      const labels = { success: String(isDone) };
      counts.metrics.observe('kubelet_pod_resize_duration_milliseconds', clock.monotonic() - beganMs, labels);
    }
    return true;
  }

  async #runSandbox(pod: Observed<Pod>, attempt: number, signal: AbortSignal): Promise<boolean> {
    const { clock, backend } = this.#parts;
    if (!this.#isRuntimeReady(pod)) return false;
    if (!(await this.#prepareLimits(pod))) return false;
    if (!(await this.#mountVolumes(pod, signal)) || !(await this.#prepareDevices(pod, signal))) return false;
    const hasUsers = pod.spec?.hostUsers === false;
    try {
      this.#parts.counts.pods++;
      if (hasUsers) this.#parts.counts.metrics.add('kubelet_started_user_namespaced_pods_total');
      const { runtimeHandler } = await this.#starter.isolation(pod, signal);
      const config = await this.#starter.sandboxConfig(pod, attempt, signal);
      const id = await backend.runtime.runPodSandbox(config, { signal, runtimeHandler });
      if (attempt > 0) await this.#removeOldSandboxes(id);
      this.#state.created({ id, attempt });
      this.#record.sandboxFailure = undefined;
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      this.#parts.counts.podErrors++;
      if (hasUsers) this.#parts.counts.metrics.add('kubelet_started_user_namespaced_pods_errors_total');
      const message = `Failed to create pod sandbox: ${messageOf(error)}`;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
      this.#record.sandboxFailure = { retryAtMs: clock.now() + RETRY_MS };
      return false;
    }
  }

  async #prepareLimits(pod: Observed<Pod>): Promise<boolean> {
    try {
      await this.#parts.backend.resources.prepare(pod);
      return true;
    } catch (error) {
      const message = `unable to ensure pod container exists: ${messageOf(error)}`;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedCreatePodContainer', message });
      this.#record.sandboxFailure = { retryAtMs: this.#parts.clock.now() + RETRY_MS };
      return false;
    }
  }

  /** Pods are not started while the runtime is not ready, nor without a network, except pods on the host network. */
  #isRuntimeReady(pod: Observed<Pod>): boolean {
    const { runtimeProblem, networkProblem } = this.#parts.health() ?? {};
    const isWithoutNetwork = networkProblem !== undefined && pod.spec?.hostNetwork !== true;
    if (runtimeProblem === undefined && !isWithoutNetwork) return true;
    if (isWithoutNetwork) {
      const message = `network is not ready: ${networkProblem}`;
      this.#events.pod(pod, { type: 'Warning', reason: 'NetworkNotReady', message });
    }
    this.#record.sandboxFailure = { retryAtMs: this.#parts.clock.now() + RETRY_MS };
    return false;
  }

  async #removeOldSandboxes(newest: string): Promise<void> {
    const { runtime } = this.#parts.backend;
    for (const { id, state } of await this.#state.sandboxes())
      if (id !== newest && state === 'SANDBOX_NOTREADY') await runtime.removePodSandbox(id);
  }

  async #mountVolumes(pod: Observed<Pod>, signal: AbortSignal): Promise<boolean> {
    const { clock, volumes } = this.#parts;
    const failed = (message: string): void =>
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedMount', message });
    const retryAtMs = await mountVolumes(pod, { clock, volumes, waits: this.#record, failed }, signal);
    if (retryAtMs !== undefined) {
      if (!signal.aborted) this.#record.sandboxFailure = { retryAtMs };
      return false;
    }
    this.#parts.volumesMounted(pod);
    return true;
  }

  async #prepareDevices(pod: Observed<Pod>, signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    try {
      this.#record.deviceEdits = await this.#parts.prepareDevices(pod, signal);
      return true;
    } catch (error) {
      if (signal.aborted) return false;
      const message = `Failed to prepare dynamic resources: ${messageOf(error)}`;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedPrepareDynamicResources', message });
      this.#record.sandboxFailure = { retryAtMs: clock.now() + RETRY_MS };
      return false;
    }
  }
}
