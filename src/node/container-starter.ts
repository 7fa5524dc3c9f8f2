import { Buffer } from 'node:buffer';
import { numberOfInt64 } from '../api/client.ts';
import { messageOf } from '../base/index.ts';
import type { Observed, Pod } from '../client/index.ts';
import type { ContainerEdits, DeviceEdits, NodeBehavior } from './backend/index.ts';
import {
  type ConfigSources,
  containerConfig,
  ContainerConfigError,
  ExpansionBudget,
  hostsFile,
  imageSpec,
  KeptSandboxConfig,
  MAX_CONTAINER_CHARACTERS,
  terminationFile,
  usesManagedHosts,
} from './config/index.ts';
import { ContainerImages, type ContainerImagesParts } from './container-images.ts';
import { type ContainerSpec, crashKey, describePod, type PodAction, type StartFailure } from './life/index.ts';
import type { PodEvents } from './pod-events.ts';
import type { PodIsolation, PodIsolations } from './isolation/index.ts';
import type { CountedKind, NodeCounts } from './node-counts.ts';
import type { PodRecord } from './pod-record.ts';
import type { LifecycleHooks } from './probes/index.ts';
import { hasRecursiveReadOnly, type NodeHealth } from './machine/index.ts';
import type { PodSandbox } from './pod-state.ts';
import type { ContainerConfig, ContainerStatus, PodSandboxConfig } from './runtime/index.ts';
import { containerVolumes, type PodContents, type PodVolumes } from './volumes/index.ts';

/** What the starter needs from its node. */
export interface StarterParts extends ContainerImagesParts {
  readonly hooks: LifecycleHooks;
  readonly volumes: PodVolumes;
  readonly contents: PodContents;
  readonly sources: ConfigSources;
  /** Prepares the devices of a pod; throws when the pod may not use them. */
  prepareDevices(pod: Observed<Pod>, signal: AbortSignal): Promise<DeviceEdits>;
  /** The node's allocatable resources. */
  allocatable(): Readonly<Record<string, string>>;
  readonly isolations: PodIsolations;
  /** The result of the last health check; undefined before the first one. */
  health(): NodeHealth | undefined;
  readonly counts: NodeCounts;
  readonly settings: Pick<NodeBehavior, 'seccompDefault' | 'maxRestartDelay'>;
}

type StartAction = Extract<PodAction, { type: 'start container' }>;
type HoldAction = Extract<PodAction, { type: 'hold back' }>;

/** Where a container is started. */
export interface StartPlace {
  readonly sandbox: PodSandbox;
  /** The addresses of the sandbox. */
  addresses(): Promise<readonly string[]>;
  readonly signal: AbortSignal;
}

interface StartOptions extends StartPlace {
  readonly attempt: number;
}

const COUNTED_KINDS: Readonly<Record<StartAction['kind'], CountedKind>> = {
  init: 'init_container',
  regular: 'container',
  ephemeral: 'ephemeral_container',
};

/** Delay before another try, for failures that have no back-off. */
const RETRY_MS = 10_000;

/** Starts containers of a pod: pulls the image, creates the container, starts it. Records events, and failures for the status. */
export class ContainerStarter {
  readonly #record: PodRecord;
  readonly #events: PodEvents;
  readonly #parts: StarterParts;
  readonly #images: ContainerImages;
  readonly #sandboxConfig = new KeptSandboxConfig();

  constructor(record: PodRecord, events: PodEvents, parts: StarterParts) {
    this.#record = record;
    this.#events = events;
    this.#parts = parts;
    this.#images = new ContainerImages(record, events, parts);
  }

  /** True when the containers after it may be started: an init container that fails holds up the pod. */
  async start(
    pod: Observed<Pod>,
    { container, kind, attempt, backOff }: StartAction,
    place: StartPlace,
  ): Promise<boolean> {
    const { signal } = place;
    if (backOff !== undefined) this.#record.backOffs.set(crashKey(container.name), backOff);
    const failure =
      (await this.#images.ensure(pod, container, signal)) ??
      (await this.#createAndStart(pod, container, { ...place, attempt }));
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
    return this.#sandboxConfig.of(pod, attempt, {
      folders,
      dns,
      cgroupDriver,
      podCgroups,
      resourceRules,
      userNamespace,
    });
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

  async #configure(pod: Observed<Pod>, container: ContainerSpec, how: StartOptions): Promise<ContainerConfig> {
    const { attempt, sandbox, signal } = how;
    const { sources, volumes, backend } = this.#parts;
    const { machine, files } = backend;
    this.#record.deviceEdits ??= await this.#parts.prepareDevices(pod, signal);
    const ofPlugins = await backend.devices.containerEdits(pod, container, signal);
    await this.#writeFiles(pod, container, how);
    const paths = await volumes.paths(pod, container, { signal });
    const budget = this.#budgetOf(container);
    const { runtimeHandler, userNamespace } = await this.isolation(pod, signal);
    const config = await containerConfig(pod, container, {
      budget,
      sources,
      attempt,
      image: await this.#images.status(imageSpec(pod, container), signal),
      volumes: containerVolumes(pod, { paths, images: await this.#images.volumes(pod, runtimeHandler, signal) }),
      hasRecursiveReadOnly: hasRecursiveReadOnly(this.#parts.health(), runtimeHandler),
      subPath: (mount) => volumes.subPath(pod, mount),
      podIps: refersToPodIp(container) ? await this.#podIps(pod, how) : [],
      hostIps: machine.addresses,
      root: machine.folders.root,
      userNamespace,
      seccompDefault: this.#parts.settings.seccompDefault,
      targetId: await this.#targetOf(container, sandbox),
      edits: bothEdits(ofPlugins, this.#record.deviceEdits.get(container.name)),
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

  /** The limit of one container, or what the other containers of its pod have left of the pod's limit. */
  #budgetOf({ name }: ContainerSpec): ExpansionBudget {
    let others = 0;
    for (const [other, characters] of this.#record.configured) if (other !== name) others += characters;
    return new ExpansionBudget(Math.max(0, Math.min(MAX_CONTAINER_CHARACTERS, MAX_POD_CHARACTERS - others)));
  }

  /** Writes the agent's files for a container: `/etc/hosts`, and an empty file for its termination message. */
  async #writeFiles(pod: Observed<Pod>, container: ContainerSpec, how: StartOptions): Promise<void> {
    const { backend, contents } = this.#parts;
    const { files, machine } = backend;
    const { uid } = pod.metadata;
    const { root } = machine.folders;
    if (usesManagedHosts(container))
      await files.write(hostsFile(root, uid), async () => {
        const isOnHost = pod.spec?.hostNetwork === true;
        const own = isOnHost ? textOf(await files.read('/etc/hosts', MAX_ENVIRONMENT_BYTES)) : '';
        return contents.hosts(pod, await this.#podIps(pod, how), own ?? '');
      });
    if ((container.terminationMessagePath ?? '') !== '')
      await files.write(terminationFile(root, uid, { name: container.name, attempt: how.attempt }), async () => '');
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

  async #podIps(pod: Observed<Pod>, { addresses }: StartPlace): Promise<readonly string[]> {
    return pod.spec?.hostNetwork === true ? this.#parts.backend.machine.addresses : await addresses();
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

/** The most characters that the configurations of all containers of a pod may become together. */
const MAX_POD_CHARACTERS = 4 * MAX_CONTAINER_CHARACTERS;

/** Maximum size of files of variables and of `/etc/hosts`, in bytes. */
const MAX_ENVIRONMENT_BYTES = 1024 * 1024;

function textOf(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : Buffer.from(bytes).toString();
}

function refersToPodIp({ env = [] }: ContainerSpec): boolean {
  return env.some(({ valueFrom }) => valueFrom?.fieldRef?.fieldPath.startsWith('status.podIP') === true);
}

/** The edits of device plugins, followed by those of claims. */
function bothEdits(first: ContainerEdits | undefined, then: ContainerEdits | undefined): ContainerEdits | undefined {
  if (first === undefined || then === undefined) return first ?? then;
  return {
    envs: [...first.envs, ...then.envs],
    mounts: [...first.mounts, ...then.mounts],
    devices: [...first.devices, ...then.devices],
    cdiDevices: [...new Set([...first.cdiDevices, ...then.cdiDevices])],
    annotations: { ...then.annotations, ...first.annotations },
  };
}
