import { type Clock, formatDuration, messageOf } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import { type ConfigSources, containerConfig, imageSpec, sandboxConfig } from './config/index.ts';
import {
  type ContainerSpec,
  crashKey,
  describePod,
  nextBackOff,
  type PodAction,
  pullKey,
  type StartFailure,
} from './life/index.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodRecord } from './pod-record.ts';
import type { LifecycleHooks } from './probes/index.ts';
import type { ContainerConfig, NodeRuntime, VolumeMounter } from './runtime/index.ts';

/** What containers of a node are started with. */
export interface StarterParts {
  readonly clock: Clock;
  readonly runtime: NodeRuntime;
  readonly hooks: LifecycleHooks;
  readonly volumes: VolumeMounter;
  readonly sources: ConfigSources;
  readonly hostIps: readonly string[];
  /** What the node has, and what of it pods may use. */
  readonly capacity: Readonly<Record<string, string>>;
  allocatable(): Readonly<Record<string, string>>;
  /** An image was pulled. */
  imagesChanged(): void;
}

/** The sandbox that a container is made in. */
export interface PodSandbox {
  readonly id: string;
  readonly attempt: number;
}

type StartAction = Extract<PodAction, { type: 'start container' }>;
type HoldAction = Extract<PodAction, { type: 'hold back' }>;

interface StartOptions {
  readonly attempt: number;
  readonly sandbox: PodSandbox;
  readonly signal: AbortSignal;
}

/** What failed for no reason that has a back-off of its own is tried again after this long. */
const RETRY_MS = 10_000;

/** Brings containers of a pod up: image, container, start; with events, and a note of what failed. */
export class ContainerStarter {
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #parts: StarterParts;

  constructor(record: PodRecord, events: PodEvents, parts: StarterParts) {
    this.#record = record;
    this.#events = events;
    this.#parts = parts;
  }

  /** Whether those after it may be started: an init container that fails holds up the pod. */
  async start(
    pod: Observed<Pod>,
    { container, kind, attempt, backOff }: StartAction,
    { sandbox, signal }: { readonly sandbox: PodSandbox; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (backOff !== undefined) this.#record.backOffs.set(crashKey(container.name), backOff);
    const failure =
      (await this.#ensureImage(pod, container, signal)) ??
      (await this.#createAndStart(pod, container, { attempt, sandbox, signal }));
    if (failure === undefined) this.#record.failures.delete(container.name);
    else if (!signal.aborted) this.#record.failures.set(container.name, failure);
    return failure === undefined || kind !== 'init' || container.restartPolicy === 'Always';
  }

  /** Notes why a container waits, and tells it. */
  holdBack(pod: Observed<Pod>, { container, failure }: HoldAction): void {
    const { name, image = '' } = container;
    this.#record.failures.set(name, failure);
    if (failure.reason === 'CrashLoopBackOff') {
      const message = `Back-off restarting failed container ${name} in pod ${describePod(pod)}`;
      this.#events.container(pod, name, { type: 'Warning', reason: 'BackOff', message });
    } else if (failure.reason === 'ImagePullBackOff') {
      const message = `Back-off pulling image ${JSON.stringify(image)}`;
      this.#events.container(pod, name, { reason: 'BackOff', message });
      this.#failed(pod, container, 'Error: ImagePullBackOff');
    }
  }

  async #ensureImage(
    pod: Observed<Pod>,
    container: ContainerSpec,
    signal: AbortSignal,
  ): Promise<StartFailure | undefined> {
    const { name, image = '', imagePullPolicy = 'IfNotPresent' } = container;
    const { images } = this.#parts.runtime;
    const spec = imageSpec(pod, container);
    const present = imagePullPolicy === 'Always' ? undefined : await images.imageStatus(spec, { signal });
    if (present !== undefined) {
      const message = `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`;
      this.#events.container(pod, name, { reason: 'Pulled', message });
      return undefined;
    }
    if (imagePullPolicy !== 'Never') return this.#pull(pod, container, signal);
    const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
    this.#events.container(pod, name, { type: 'Warning', reason: 'ErrImageNeverPull', message });
    this.#failed(pod, container, 'Error: ErrImageNeverPull');
    return { reason: 'ErrImageNeverPull', message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
  }

  async #pull(pod: Observed<Pod>, container: ContainerSpec, signal: AbortSignal): Promise<StartFailure | undefined> {
    const { name, image = '' } = container;
    const { clock, runtime } = this.#parts;
    const spec = imageSpec(pod, container);
    this.#events.container(pod, name, { reason: 'Pulling', message: `Pulling image ${JSON.stringify(image)}` });
    const beganMs = clock.now();
    try {
      await runtime.images.pullImage(spec, { signal });
    } catch (error) {
      if (signal.aborted) return { reason: 'ErrImagePull', message: 'pull was given up' };
      const message = messageOf(error);
      this.#failed(pod, container, `Failed to pull image ${JSON.stringify(image)}: ${message}`);
      this.#failed(pod, container, 'Error: ErrImagePull');
      const nowMs = clock.now();
      const next = nextBackOff(this.#record.backOffs.get(pullKey(image)), nowMs, nowMs);
      this.#record.backOffs.set(pullKey(image), { ...next, cause: `ErrImagePull: ${message}` });
      return { reason: 'ErrImagePull', message };
    }
    const took = formatDuration(Math.trunc(clock.now() - beganMs));
    const size = (await runtime.images.imageStatus(spec, { signal }))?.size ?? 0;
    const message = `Successfully pulled image ${JSON.stringify(image)} in ${took} (${took} including waiting). Image size: ${size} bytes.`;
    this.#events.container(pod, name, { reason: 'Pulled', message });
    this.#parts.imagesChanged();
    return undefined;
  }

  async #createAndStart(
    pod: Observed<Pod>,
    container: ContainerSpec,
    how: StartOptions,
  ): Promise<StartFailure | undefined> {
    const { runtime } = this.#parts.runtime;
    const { sandbox, signal } = how;
    const { name } = container;
    let reason = 'CreateContainerConfigError';
    try {
      const config = await this.#configure(pod, container, how);
      reason = 'CreateContainerError';
      const request = { podSandboxId: sandbox.id, config, sandboxConfig: sandboxConfig(pod, sandbox.attempt) };
      const id = await runtime.createContainer(request, { signal });
      this.#events.container(pod, name, { reason: 'Created', message: 'Container created' });
      reason = 'RunContainerError';
      await runtime.startContainer(id, { signal });
      this.#events.container(pod, name, { reason: 'Started', message: 'Container started' });
      return await this.#afterStart(pod, container, { containerId: id, signal });
    } catch (error) {
      const message = messageOf(error);
      if (!signal.aborted) this.#failed(pod, container, `Error: ${message}`);
      return { reason, message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
    }
  }

  async #configure(
    pod: Observed<Pod>,
    container: ContainerSpec,
    { attempt, sandbox, signal }: StartOptions,
  ): Promise<ContainerConfig> {
    const { sources, hostIps, capacity, volumes, runtime } = this.#parts;
    const paths = new Map<string, string>();
    for (const volume of pod.spec?.volumes ?? []) paths.set(volume.name, await volumes.mount(pod, volume, { signal }));
    return containerConfig(pod, container, {
      sources,
      attempt,
      image: await runtime.images.imageStatus(imageSpec(pod, container), { signal }),
      volumePaths: paths,
      podIps: refersToPodIp(container) ? await this.#podIps(pod, sandbox.id) : [],
      hostIps,
      capacity,
      allocatable: this.#parts.allocatable(),
      readFile: (path) => volumes.readFile(path),
    });
  }

  async #podIps(pod: Observed<Pod>, sandboxId: string): Promise<readonly string[]> {
    if (pod.spec?.hostNetwork === true) return this.#parts.hostIps;
    const { status } = await this.#parts.runtime.runtime.podSandboxStatus(sandboxId);
    return [status.network.ip, ...status.network.additionalIps];
  }

  /** Runs the hook of a container that has started. If it fails the container is stopped. */
  async #afterStart(
    pod: Observed<Pod>,
    container: ContainerSpec,
    { containerId, signal }: { readonly containerId: string; readonly signal: AbortSignal },
  ): Promise<StartFailure | undefined> {
    const handler = container.lifecycle?.postStart;
    if (handler === undefined) return undefined;
    const { hooks, runtime, clock } = this.#parts;
    const podIp = pod.status?.podIP ?? '';
    const message = await hooks.run(handler, { containerId, container, podIp, purpose: 'postStart' }, signal);
    if (message === undefined || signal.aborted) return undefined;
    // what the hook has written stays out of the event: it may be secret
    const event = { type: 'Warning', reason: 'FailedPostStartHook', message: 'PostStartHook failed' } as const;
    this.#events.container(pod, container.name, event);
    this.#events.stopping(pod, container.name, 'FailedPostStartHook');
    await runtime.runtime.stopContainer(containerId, pod.spec?.terminationGracePeriodSeconds ?? 30, { signal });
    return { reason: 'PostStartHookError', message, retryAtMs: clock.now() + RETRY_MS };
  }

  #failed(pod: Observed<Pod>, { name }: ContainerSpec, message: string): void {
    this.#events.container(pod, name, { type: 'Warning', reason: 'Failed', message });
  }
}

function refersToPodIp({ env = [] }: ContainerSpec): boolean {
  return env.some(({ valueFrom }) => valueFrom?.fieldRef?.fieldPath.startsWith('status.podIP') === true);
}
