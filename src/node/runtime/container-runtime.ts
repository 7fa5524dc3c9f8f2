import type {
  ContainerConfig,
  ContainerEventType,
  ContainerFilter,
  ContainerStats,
  ContainerStatus,
  MeasuredUsage,
  ImageSpec,
} from './container.ts';
import type { LinuxContainerResources } from './linux.ts';
import type { DiskUsage, InterfaceUsage } from './usage-details.ts';
import type { PodSandboxConfig, PodSandboxFilter, PodSandboxMetadata, PodSandboxStatus } from './pod-sandbox.ts';
import type {
  AttachRequest,
  ExecRequest,
  ExecSyncResponse,
  OpenPort,
  OpenProcess,
  PortForwardRequest,
  StreamEndpoint,
} from './streaming.ts';

export interface CallOptions {
  /** Stops waiting for the call. The runtime may still finish it. */
  readonly signal?: AbortSignal;
}

export interface RuntimeVersion {
  /** As in `containerID`: `containerd`. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}

export interface PodSandboxStatusResponse {
  readonly status: PodSandboxStatus;
  /** The containers of the sandbox, newest first; undefined from runtimes that do not send them. */
  readonly containersStatuses: readonly ContainerStatus[] | undefined;
}

export interface ContainerEvent {
  readonly containerId: string;
  readonly containerEventType: ContainerEventType;
  readonly createdAtMs: number;
  /** The pod of the container. */
  readonly pod: PodSandboxMetadata;
}

/** A condition of the runtime: `RuntimeReady`, `NetworkReady`. */
export interface RuntimeCondition {
  readonly type: string;
  readonly status: boolean;
  readonly reason: string;
  readonly message: string;
}

/** A handler of RuntimeClasses, and what it can do. */
export interface RuntimeHandler {
  /** Empty for the default handler. */
  readonly name: string;
  readonly features: { readonly recursiveReadOnlyMounts: boolean; readonly userNamespaces: boolean };
}

export interface RuntimeStatus {
  readonly conditions: readonly RuntimeCondition[];
  readonly runtimeHandlers: readonly RuntimeHandler[];
  readonly features: { readonly supplementalGroupsPolicy: boolean };
}

export interface CreateContainerRequest {
  readonly podSandboxId: string;
  readonly config: ContainerConfig;
  /** The configuration of the sandbox. */
  readonly sandboxConfig: PodSandboxConfig;
}

/** `RuntimeService` of the Container Runtime Interface, as far as nodes use it. Refusals are RuntimeErrors. */
export interface RuntimeService {
  /** As before `://` in container ids: `containerd`. */
  readonly name: string;
  version(options?: CallOptions): Promise<RuntimeVersion>;
  status(options?: CallOptions): Promise<RuntimeStatus>;
  /** Passes on the ranges of the node's pods, separated by commas; default the runtime has no use for them. */
  updateRuntimeConfig?(config: { readonly podCidr: string }, options?: CallOptions): Promise<void>;

  /** Creates and starts a sandbox with its network; returns its id. */
  runPodSandbox(
    config: PodSandboxConfig,
    options?: CallOptions & { readonly runtimeHandler?: string },
  ): Promise<string>;
  /** Stops the containers of a sandbox and takes its network down. Does nothing when it has stopped. */
  stopPodSandbox(id: string, options?: CallOptions): Promise<void>;
  /** Removes a sandbox with its containers. Does nothing when it does not exist. */
  removePodSandbox(id: string, options?: CallOptions): Promise<void>;
  podSandboxStatus(id: string, options?: CallOptions): Promise<PodSandboxStatusResponse>;
  listPodSandbox(filter?: PodSandboxFilter, options?: CallOptions): Promise<readonly PodSandboxStatus[]>;

  createContainer(request: CreateContainerRequest, options?: CallOptions): Promise<string>;
  startContainer(id: string, options?: CallOptions): Promise<void>;
  /** Signals the container to end, kills it after `timeoutSeconds`, and resolves when it has ended. A later call may shorten the time. */
  stopContainer(id: string, timeoutSeconds: number, options?: CallOptions): Promise<void>;
  removeContainer(id: string, options?: CallOptions): Promise<void>;
  listContainers(filter?: ContainerFilter, options?: CallOptions): Promise<readonly ContainerStatus[]>;
  containerStatus(id: string, options?: CallOptions): Promise<ContainerStatus>;
  containerStats(filter?: ContainerFilter, options?: CallOptions): Promise<readonly ContainerStats[]>;
  updateContainerResources(id: string, resources: LinuxContainerResources, options?: CallOptions): Promise<void>;
  /** Makes the container write to a new log file, after the old one was moved away. */
  reopenContainerLog(id: string, options?: CallOptions): Promise<void>;

  /** Saves the state of a running container to a file; default no container can be saved. A limit below the runtime's own has no effect. */
  checkpointContainer?(
    id: string,
    options: CallOptions & { readonly location: string; readonly timeoutSeconds?: number },
  ): Promise<void>;

  /** Runs a command to its end. One that takes longer than `timeoutMs` fails with a RuntimeError `DeadlineExceeded`. */
  execSync(
    id: string,
    cmd: readonly string[],
    options?: CallOptions & { readonly timeoutMs?: number },
  ): Promise<ExecSyncResponse>;
  exec(request: ExecRequest, options?: CallOptions): Promise<StreamEndpoint<OpenProcess>>;
  attach(request: AttachRequest, options?: CallOptions): Promise<StreamEndpoint<OpenProcess>>;
  portForward(request: PortForwardRequest, options?: CallOptions): Promise<StreamEndpoint<OpenPort>>;

  /** Events of containers from now on, until the signal aborts. Ends early when the reader cannot keep up. */
  containerEvents(signal: AbortSignal): AsyncIterable<ContainerEvent>;
}

export interface Image {
  /** A digest. */
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
  /** The user of the image, if it sets one: a number, or a name. */
  readonly uid?: number;
  readonly username?: string;
}

/** Credentials for a registry. */
export interface AuthConfig {
  readonly username?: string;
  readonly password?: string;
  readonly serverAddress?: string;
  readonly identityToken?: string;
}

export interface PullOptions extends CallOptions {
  readonly auth?: AuthConfig;
  readonly sandboxConfig?: PodSandboxConfig;
}

/** How full a file system is. */
export interface FilesystemUsage {
  readonly mountpoint: string;
  readonly capacityBytes: number;
  readonly availableBytes: number;
}

/** `ImageService` of the Container Runtime Interface, as far as nodes use it. */
export interface ImageService {
  listImages(options?: CallOptions): Promise<readonly Image[]>;
  imageStatus(image: ImageSpec, options?: CallOptions): Promise<Image | undefined>;
  /** Returns the image reference by digest. */
  pullImage(image: ImageSpec, options?: PullOptions): Promise<string>;
  removeImage(image: ImageSpec, options?: CallOptions): Promise<void>;
  /** The file system that images are kept on. */
  fsInfo(options?: CallOptions): Promise<FilesystemUsage>;
}

/** What a node and the containers that run on it use. */
export interface NodeUsage {
  readonly whole: MeasuredUsage;
  /** By container id. */
  readonly containers: ReadonlyMap<string, MeasuredUsage>;
  /** By uid; default the sums over their containers. */
  readonly pods?: ReadonlyMap<string, PodUsage>;
  /** Default nothing is known but `whole`. */
  readonly machine?: MachineUsage;
  /** What runs on the machine, in groups; default none is known. */
  readonly groups?: ReadonlyMap<SystemGroup, GroupUsage>;
}

/** All pods, the agent, the container runtime, and the other processes of the machine. */
export type SystemGroup = 'pods' | 'kubelet' | 'runtime' | 'misc';

export interface GroupUsage extends MeasuredUsage {
  readonly startedAtMs: number;
}

/** What a pod uses as a whole. */
export interface PodUsage {
  readonly usage: MeasuredUsage;
  /** The main one first. */
  readonly interfaces: readonly InterfaceUsage[];
  readonly processCount: number;
}

/** What the machine has besides processors and memory. */
export interface MachineUsage {
  /** The main one first. */
  readonly interfaces: readonly InterfaceUsage[];
  readonly disk: DiskUsage;
  readonly imageDisk: DiskUsage;
  readonly maxProcesses: number;
  readonly processCount: number;
}
