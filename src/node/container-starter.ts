import { Buffer } from 'node:buffer';
import { numberOfInt64 } from '../api/client.ts';
import { type Clock, formatDuration, messageOf } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { DeviceEdits, NodeBackend } from './backend/index.ts';
import {
  type ConfigSources,
  containerConfig,
  ContainerConfigError,
  ExpansionBudget,
  hostsFile,
  imageSpec,
  MAX_CONTAINER_CHARACTERS,
  sandboxConfig,
  terminationFile,
  usesManagedHosts,
} from './config/index.ts';
import type { EventDetails } from '../kit/index.ts';
import { imageNameProblem, type ImagePuller, type PullResult } from './images/index.ts';
import {
  backOffUntil,
  type ContainerSpec,
  crashKey,
  describePod,
  nextBackOff,
  type PodAction,
  pullKey,
  type StartFailure,
} from './life/index.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodIsolation, PodIsolations } from './isolation/index.ts';
import type { CountedKind, NodeCounts } from './node-counts.ts';
import type { PodRecord } from './pod-record.ts';
import type { LifecycleHooks } from './probes/index.ts';
import { hasRecursiveReadOnly, type NodeHealth } from './machine/index.ts';
import type { PodSandbox } from './pod-state.ts';
import type { ContainerConfig, ContainerStatus, ImageSpec, PodSandboxConfig } from './runtime/index.ts';
import { containerVolumes, type PodContents, type PodVolumes } from './volumes/index.ts';

/** What the starter needs from its node. */
export interface StarterParts {
  readonly clock: Clock;
  readonly backend: NodeBackend;
  readonly hooks: LifecycleHooks;
  readonly volumes: PodVolumes;
  readonly contents: PodContents;
  readonly puller: ImagePuller;
  readonly sources: ConfigSources;
  /** Prepares the devices of a pod; throws when the pod may not use them. */
  prepareDevices(pod: Observed<Pod>, signal: AbortSignal): Promise<DeviceEdits>;
  /** The node's allocatable resources. */
  allocatable(): Readonly<Record<string, string>>;
  readonly isolations: PodIsolations;
  /** The result of the last health check; undefined before the first one. */
  health(): NodeHealth | undefined;
  readonly counts: NodeCounts;
  /** Called after an image was pulled. */
  imagesChanged(): void;
}

type StartAction = Extract<PodAction, { type: 'start container' }>;
type HoldAction = Extract<PodAction, { type: 'hold back' }>;

interface StartOptions {
  readonly attempt: number;
  readonly sandbox: PodSandbox;
  readonly signal: AbortSignal;
}

const COUNTED_KINDS: Readonly<Record<StartAction['kind'], CountedKind>> = {
  init: 'init_container',
  regular: 'container',
  ephemeral: 'ephemeral_container',
};

type ImageVolume = NonNullable<NonNullable<NonNullable<Observed<Pod>['spec']>['volumes']>[number]['image']>;

/** An image that a container needs, and how events about it are recorded. */
interface WantedImage {
  readonly spec: ImageSpec;
  readonly policy: string;
  tell(details: EventDetails): void;
}

/** Delay before the image of a volume that could not be pulled is looked at again. */
const IMAGE_VOLUME_RETRY_MS = 1000;

/** Delay before another try, for failures that have no back-off. */
const RETRY_MS = 10_000;

/** Starts containers of a pod: pulls the image, creates the container, starts it. Records events, and failures for the status. */
export class ContainerStarter {
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #parts: StarterParts;

  constructor(record: PodRecord, events: PodEvents, parts: StarterParts) {
    this.#record = record;
    this.#events = events;
    this.#parts = parts;
  }

  /** True when the containers after it may be started: an init container that fails holds up the pod. */
  async start(
    pod: Observed<Pod>,
    { container, kind, attempt, backOff }: StartAction,
    { sandbox, signal }: { readonly sandbox: PodSandbox; readonly signal: AbortSignal },
  ): Promise<boolean> {
    if (backOff !== undefined) this.#record.backOffs.set(crashKey(container.name), backOff);
    const failure =
      (await this.#ensureImageVolumes(pod, container, signal)) ??
      (await this.#ensureImage(pod, this.#imageOf(pod, container), signal)) ??
      (await this.#createAndStart(pod, container, { attempt, sandbox, signal }));
    const counted = COUNTED_KINDS[kind];
    this.#parts.counts.started(counted);
    if (failure !== undefined) this.#parts.counts.failed(counted, failure.reason);
    if (failure === undefined) this.#record.failures.delete(container.name);
    else if (!signal.aborted) this.#record.failures.set(container.name, failure);
    return failure === undefined || kind !== 'init' || container.restartPolicy === 'Always';
  }

  /** Stores why a container waits, for its status, and records an event. */
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

  /** How the pod is kept apart from the machine; looked up once. */
  async isolation(pod: Observed<Pod>, signal: AbortSignal): Promise<PodIsolation> {
    this.#record.isolation ??= await this.#parts.isolations.of(pod, signal);
    return this.#record.isolation;
  }

  async sandboxConfig(pod: Observed<Pod>, attempt: number, signal: AbortSignal): Promise<PodSandboxConfig> {
    const { folders, dns, cgroupDriver, podCgroups, resourceRules } = this.#parts.backend.machine;
    const { userNamespace } = await this.isolation(pod, signal);
    return sandboxConfig(pod, attempt, { folders, dns, cgroupDriver, podCgroups, resourceRules, userNamespace });
  }

  /** The image of a container. */
  #imageOf(pod: Observed<Pod>, container: ContainerSpec): WantedImage {
    const { name, imagePullPolicy: policy = 'IfNotPresent' } = container;
    const tell = (details: EventDetails): void => this.#events.container(pod, name, details);
    return { spec: imageSpec(pod, container), policy, tell };
  }

  /** Pulls the images that the container mounts as volumes. Without them, the container waits as if its own image were missing. */
  async #ensureImageVolumes(
    pod: Observed<Pod>,
    container: ContainerSpec,
    signal: AbortSignal,
  ): Promise<StartFailure | undefined> {
    const mounted = new Set(container.volumeMounts?.map(({ name }) => name));
    let last: StartFailure | undefined;
    for (const { name, image } of pod.spec?.volumes ?? []) {
      if (image === undefined || !mounted.has(name)) continue;
      const failure = await this.#ensureImageVolume(pod, image, signal);
      if (failure !== undefined) this.#failed(pod, container, `Error: ${failure.reason}`);
      last = failure ?? last;
    }
    return last;
  }

  async #ensureImageVolume(
    pod: Observed<Pod>,
    { reference = '', pullPolicy: policy = 'IfNotPresent' }: ImageVolume,
    signal: AbortSignal,
  ): Promise<StartFailure | undefined> {
    const nowMs = this.#parts.clock.now();
    const pull = this.#record.backOffs.get(pullKey(reference));
    const wait = pull === undefined ? undefined : backOffUntil(pull, pull.updatedAtMs, nowMs);
    const tell = (details: EventDetails): void => this.#events.pod(pod, details);
    if (pull !== undefined && wait !== undefined) {
      const message = `Back-off pulling image ${JSON.stringify(reference)}`;
      tell({ reason: 'BackOff', message });
      const cause = pull.cause === undefined ? '' : `: ${pull.cause}`;
      return { reason: 'ImagePullBackOff', message: message + cause, retryAtMs: wait.untilMs };
    }
    const failure = await this.#ensureImage(pod, { spec: imageVolumeSpec(pod, reference), policy, tell }, signal);
    const untilMs = failure === undefined ? undefined : nowMs + IMAGE_VOLUME_RETRY_MS;
    return failure === undefined ? undefined : { ...failure, retryAtMs: failure.retryAtMs ?? untilMs };
  }

  async #ensureImage(pod: Observed<Pod>, wanted: WantedImage, signal: AbortSignal): Promise<StartFailure | undefined> {
    const { spec, policy, tell } = wanted;
    const image = spec.userSpecifiedImage ?? spec.image;
    const { images } = this.#parts.backend;
    const problem = imageNameProblem(image);
    if (problem !== undefined) return this.#invalidName(wanted, problem);
    const present = policy === 'Always' ? undefined : await images.imageStatus(spec, { signal });
    if (present !== undefined && (await this.#parts.puller.mayUse(pod, image, present.id))) {
      const message = `Container image ${JSON.stringify(image)} already present on machine and can be accessed by the pod`;
      tell({ reason: 'Pulled', message });
      return undefined;
    }
    if (policy !== 'Never') return this.#pull(pod, wanted, signal);
    const message = `Container image ${JSON.stringify(image)} is not present with pull policy of Never`;
    tell({ type: 'Warning', reason: 'ErrImageNeverPull', message });
    tell({ type: 'Warning', reason: 'Failed', message: 'Error: ErrImageNeverPull' });
    return { reason: 'ErrImageNeverPull', message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
  }

  #invalidName({ spec, tell }: WantedImage, problem: string): StartFailure {
    const image = spec.userSpecifiedImage ?? spec.image;
    const message = `Failed to apply default image tag ${JSON.stringify(image)}: ${problem}`;
    tell({ type: 'Warning', reason: 'InspectFailed', message });
    tell({ type: 'Warning', reason: 'Failed', message: 'Error: InvalidImageName' });
    return { reason: 'InvalidImageName', message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
  }

  async #pull(pod: Observed<Pod>, { spec, tell }: WantedImage, signal: AbortSignal): Promise<StartFailure | undefined> {
    const image = spec.userSpecifiedImage ?? spec.image;
    const { clock, backend, puller } = this.#parts;
    const { auths, missing } = await puller.credentials(pod, image);
    if (missing.length > 0) {
      const words = `Unable to retrieve some image pull secrets (${missing.join(', ')})`;
      const message = `${words}; attempting to pull the image may not succeed.`;
      this.#events.pod(pod, { type: 'Warning', reason: 'FailedToRetrieveImagePullSecret', message });
    }
    tell({ reason: 'Pulling', message: `Pulling image ${JSON.stringify(image)}` });
    let pulled: PullResult;
    try {
      pulled = await puller.pull(spec, { auths, sandboxConfig: sandboxConfig(pod, 0, backend.machine) }, signal);
    } catch (error) {
      if (signal.aborted) return { reason: 'ErrImagePull', message: 'pull was given up' };
      const words = messageOf(error).replace(/^rpc error: code = Unknown desc = /, '');
      const { reason, message } = pullFailure(image, words);
      const failed = { type: 'Warning', reason: 'Failed' } as const;
      tell({ ...failed, message: `Failed to pull image ${JSON.stringify(image)}: ${words}` });
      tell({ ...failed, message: `Error: ${reason}` });
      const nowMs = clock.now();
      const next = nextBackOff(this.#record.backOffs.get(pullKey(image)), nowMs, nowMs);
      this.#record.backOffs.set(pullKey(image), { ...next, cause: `${reason}: ${message}` });
      return { reason, message };
    }
    const [took, waited] = [pulled.tookMs, pulled.waitedMs].map((ms) => formatDuration(Math.trunc(ms)));
    const size = (await backend.images.imageStatus(spec, { signal }))?.size ?? 0;
    const message = `Successfully pulled image ${JSON.stringify(image)} in ${took} (${waited} including waiting). Image size: ${size} bytes.`;
    tell({ reason: 'Pulled', message });
    this.#parts.imagesChanged();
    return undefined;
  }

  async #createAndStart(
    pod: Observed<Pod>,
    container: ContainerSpec,
    how: StartOptions,
  ): Promise<StartFailure | undefined> {
    const { runtime } = this.#parts.backend;
    const { sandbox, signal } = how;
    const { name } = container;
    let reason = 'CreateContainerConfigError';
    try {
      const config = await this.#configure(pod, container, how);
      reason = 'CreateContainerError';
      const request = {
        podSandboxId: sandbox.id,
        config,
        sandboxConfig: await this.sandboxConfig(pod, sandbox.attempt, signal),
      };
      const id = await runtime.createContainer(request, { signal });
      this.#events.container(pod, name, { reason: 'Created', message: 'Container created' });
      reason = 'RunContainerError';
      await runtime.startContainer(id, { signal });
      this.#events.container(pod, name, { reason: 'Started', message: 'Container started' });
      return await this.#afterStart(pod, container, { containerId: id, signal });
    } catch (error) {
      const message = messageOf(error);
      if (!signal.aborted) this.#failed(pod, container, `Error: ${message}`);
      if (error instanceof ContainerConfigError) reason = error.reason;
      return { reason, message, retryAtMs: this.#parts.clock.now() + RETRY_MS };
    }
  }

  async #configure(
    pod: Observed<Pod>,
    container: ContainerSpec,
    { attempt, sandbox, signal }: StartOptions,
  ): Promise<ContainerConfig> {
    const { sources, volumes, backend } = this.#parts;
    const { machine, files } = backend;
    this.#record.deviceEdits ??= await this.#parts.prepareDevices(pod, signal);
    await this.#writeFiles(pod, container, { attempt, sandbox });
    const paths = await volumes.paths(pod, { signal });
    const budget = this.#budgetOf(container);
    const { runtimeHandler, userNamespace } = await this.isolation(pod, signal);
    const config = await containerConfig(pod, container, {
      budget,
      sources,
      attempt,
      image: await backend.images.imageStatus(imageSpec(pod, container), { signal }),
      volumes: containerVolumes(pod, { paths, images: await this.#imageVolumes(pod, signal) }),
      hasRecursiveReadOnly: hasRecursiveReadOnly(this.#parts.health(), runtimeHandler),
      subPath: (mount) => volumes.subPath(pod, mount),
      podIps: refersToPodIp(container) ? await this.#podIps(pod, sandbox.id) : [],
      hostIps: machine.addresses,
      root: machine.folders.root,
      userNamespace,
      targetId: await this.#targetOf(container, sandbox),
      edits: this.#record.deviceEdits.get(container.name),
      capacity: machine.capacity,
      rules: machine.resourceRules,
      assigned: (resources) => backend.resources.assigned(pod, container, resources),
      allocatable: this.#parts.allocatable(),
      readFile: async (folder, path) =>
        textOf(await files.read(folder + path, MAX_ENVIRONMENT_BYTES, { within: folder })),
    });
    this.#record.configured.set(container.name, budget.used);
    return config;
  }

  /** The images of the pod's image volumes that are on the machine, by the name of the volume. */
  async #imageVolumes(pod: Observed<Pod>, signal: AbortSignal): Promise<ReadonlyMap<string, ImageSpec>> {
    const found = new Map<string, ImageSpec>();
    const { runtimeHandler } = await this.isolation(pod, signal);
    // as the kubelet: the mount names the handler, while images are pulled for all handlers
    const handler = runtimeHandler === '' ? {} : { runtimeHandler };
    for (const { name, image } of pod.spec?.volumes ?? []) {
      if (image === undefined) continue;
      const spec = imageVolumeSpec(pod, image.reference ?? '');
      const present = await this.#parts.backend.images.imageStatus(spec, { signal });
      if (present !== undefined) found.set(name, { ...spec, image: present.id, ...handler });
    }
    return found;
  }

  /** The limit of one container, or what the other containers of its pod have left of the pod's limit. */
  #budgetOf({ name }: ContainerSpec): ExpansionBudget {
    let others = 0;
    for (const [other, characters] of this.#record.configured) if (other !== name) others += characters;
    return new ExpansionBudget(Math.max(0, Math.min(MAX_CONTAINER_CHARACTERS, MAX_POD_CHARACTERS - others)));
  }

  /** Writes the agent's files for a container: `/etc/hosts`, and an empty file for its termination message. */
  async #writeFiles(
    pod: Observed<Pod>,
    container: ContainerSpec,
    { attempt, sandbox }: Pick<StartOptions, 'attempt' | 'sandbox'>,
  ): Promise<void> {
    const { backend, contents } = this.#parts;
    const { files, machine } = backend;
    const { uid } = pod.metadata;
    const { root } = machine.folders;
    if (usesManagedHosts(container))
      await files.write(hostsFile(root, uid), async () => {
        const isOnHost = pod.spec?.hostNetwork === true;
        const own = isOnHost ? textOf(await files.read('/etc/hosts', MAX_ENVIRONMENT_BYTES)) : '';
        return contents.hosts(pod, await this.#podIps(pod, sandbox.id), own ?? '');
      });
    if ((container.terminationMessagePath ?? '') !== '')
      await files.write(terminationFile(root, uid, { name: container.name, attempt }), async () => '');
  }

  /** The id of the newest run of the container that an ephemeral container targets. */
  async #targetOf(container: ContainerSpec, sandbox: PodSandbox): Promise<string | undefined> {
    const { targetContainerName = '' } = container as { readonly targetContainerName?: string };
    if (targetContainerName === '') return undefined;
    const { runtime } = this.#parts.backend;
    const found = (await runtime.listContainers({ podSandboxId: sandbox.id }))
      .filter(({ metadata }) => metadata.name === targetContainerName)
      .reduce<ContainerStatus | undefined>(
        (newest, each) => (newest === undefined || each.createdAtMs > newest.createdAtMs ? each : newest),
        undefined,
      );
    if (found !== undefined) return found.id;
    throw new ContainerConfigError(`unable to find target container ${targetContainerName}`);
  }

  async #podIps(pod: Observed<Pod>, sandboxId: string): Promise<readonly string[]> {
    if (pod.spec?.hostNetwork === true) return this.#parts.backend.machine.addresses;
    const { status } = await this.#parts.backend.runtime.podSandboxStatus(sandboxId);
    return [status.network.ip, ...status.network.additionalIps];
  }

  /** Runs the postStart hook of a container. When the hook fails, the container is stopped. */
  async #afterStart(
    pod: Observed<Pod>,
    container: ContainerSpec,
    { containerId, signal }: { readonly containerId: string; readonly signal: AbortSignal },
  ): Promise<StartFailure | undefined> {
    const handler = container.lifecycle?.postStart;
    if (handler === undefined) return undefined;
    const { hooks, backend, clock } = this.#parts;
    const podIp = pod.status?.podIP ?? '';
    const warn = (words: string): void => this.#events.hookFallback(pod, words);
    const target = { containerId, container, podIp, purpose: 'postStart' } as const;
    const message = await hooks.run(handler, target, { signal, warn });
    if (message === undefined || signal.aborted) return undefined;
    // the output of the hook stays out of the event: it may be secret
    const event = { type: 'Warning', reason: 'FailedPostStartHook', message: 'PostStartHook failed' } as const;
    this.#events.container(pod, container.name, event);
    this.#events.stopping(pod, container.name, 'FailedPostStartHook');
    await backend.runtime.stopContainer(containerId, numberOfInt64(pod.spec?.terminationGracePeriodSeconds ?? 30), {
      signal,
    });
    return { reason: 'PostStartHookError', message, retryAtMs: clock.now() + RETRY_MS };
  }

  #failed(pod: Observed<Pod>, { name }: ContainerSpec, message: string): void {
    this.#events.container(pod, name, { type: 'Warning', reason: 'Failed', message });
  }
}

const PULL_FAILURES: readonly (readonly [reason: string, words: string])[] = [
  ['RegistryUnavailable', 'the registry is unavailable'],
  ['SignatureValidationFailed', 'the signature validation failed'],
];

/** Runtimes begin the messages of some failures with the reason that the status of the container is to have. */
function pullFailure(image: string, text: string): StartFailure {
  const found = PULL_FAILURES.find(([reason]) => text.startsWith(reason));
  if (found === undefined) return { reason: 'ErrImagePull', message: text };
  const [reason, words] = found;
  return { reason, message: `image pull failed for ${image} because ${words}${text.slice(reason.length)}` };
}

/** The most characters that the configurations of all containers of a pod may become together. */
const MAX_POD_CHARACTERS = 4 * MAX_CONTAINER_CHARACTERS;

/** Maximum size of files of variables and of `/etc/hosts`, in bytes. */
const MAX_ENVIRONMENT_BYTES = 1024 * 1024;

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

function imageVolumeSpec({ metadata }: Observed<Pod>, reference: string): ImageSpec {
  return { image: reference, userSpecifiedImage: reference, annotations: { ...metadata.annotations } };
}

function refersToPodIp({ env = [] }: ContainerSpec): boolean {
  return env.some(({ valueFrom }) => valueFrom?.fieldRef?.fieldPath.startsWith('status.podIP') === true);
}
