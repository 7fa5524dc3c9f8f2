import { type Clock, formatDuration } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import {
  type ContainerSpec,
  crashKey,
  describePod,
  nextBackOff,
  type PodAction,
  pullKey,
  type StartFailure,
} from './life/index.ts';
import { containerConfig, imageSpec } from './pod-config.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodRecord } from './pod-record.ts';
import type { NodeRuntime } from './runtime/index.ts';

export interface StarterParts {
  readonly clock: Clock;
  readonly runtime: NodeRuntime;
  imagesChanged(): void;
}

type StartAction = Extract<PodAction, { type: 'start container' }>;
type HoldAction = Extract<PodAction, { type: 'hold back' }>;

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
    { sandboxId, signal }: { readonly sandboxId: string; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (backOff !== undefined) this.#record.backOffs.set(crashKey(container.name), backOff);
    const failure =
      (await this.#ensureImage(pod, container, signal)) ??
      (await this.#createAndStart(pod, container, { attempt, sandboxId, signal }));
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
    {
      attempt,
      sandboxId,
      signal,
    }: { readonly attempt: number; readonly sandboxId: string; readonly signal: AbortSignal },
  ): Promise<StartFailure | undefined> {
    const { runtime } = this.#parts.runtime;
    const { name } = container;
    let reason = 'CreateContainerError';
    try {
      const id = await runtime.createContainer(sandboxId, containerConfig(pod, container, attempt), { signal });
      this.#events.container(pod, name, { reason: 'Created', message: 'Container created' });
      reason = 'RunContainerError';
      await runtime.startContainer(id, { signal });
      this.#events.container(pod, name, { reason: 'Started', message: 'Container started' });
      return undefined;
    } catch (error) {
      const message = messageOf(error);
      if (!signal.aborted) this.#failed(pod, container, `Error: ${message}`);
      return { reason, message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
    }
  }

  #failed(pod: Observed<Pod>, { name }: ContainerSpec, message: string): void {
    this.#events.container(pod, name, { type: 'Warning', reason: 'Failed', message });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
