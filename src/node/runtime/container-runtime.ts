import type { Observed, Pod } from '../../client/index.ts';
import type { ContainerConfig, ContainerEventType, ContainerFilter, ContainerStatus, ImageSpec } from './container.ts';
import type { PodSandboxConfig, PodSandboxFilter, PodSandboxMetadata, PodSandboxStatus } from './pod-sandbox.ts';

export interface CallOptions {
  /** Gives up waiting. What the runtime has begun it may finish. */
  readonly signal?: AbortSignal;
}

export interface RuntimeVersion {
  /** As in `containerID`: `containerd`, `simulated`. */
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly runtimeApiVersion: string;
}

export interface PodSandboxStatusResponse {
  readonly status: PodSandboxStatus;
  /** The containers of the sandbox, newest first. */
  readonly containersStatuses: readonly ContainerStatus[];
}

export interface ContainerEvent {
  readonly containerId: string;
  readonly containerEventType: ContainerEventType;
  readonly createdAtMs: number;
  /** Whose container it is. */
  readonly pod: PodSandboxMetadata;
}

/** `RuntimeService` of the Container Runtime Interface, as far as nodes use it. Refusals are RuntimeErrors. */
export interface RuntimeService {
  version(options?: CallOptions): Promise<RuntimeVersion>;

  /** Makes and starts a sandbox, with its network; the answer is its id. */
  runPodSandbox(config: PodSandboxConfig, options?: CallOptions): Promise<string>;
  /** Stops what runs in it and takes its network down. Nothing happens when it has stopped. */
  stopPodSandbox(id: string, options?: CallOptions): Promise<void>;
  /** Removes it with its containers. Nothing happens when it is not there. */
  removePodSandbox(id: string, options?: CallOptions): Promise<void>;
  podSandboxStatus(id: string, options?: CallOptions): Promise<PodSandboxStatusResponse>;
  listPodSandbox(filter?: PodSandboxFilter, options?: CallOptions): Promise<readonly PodSandboxStatus[]>;

  createContainer(podSandboxId: string, config: ContainerConfig, options?: CallOptions): Promise<string>;
  startContainer(id: string, options?: CallOptions): Promise<void>;
  /** Asks it to end, kills it after `timeoutSeconds`, and answers when it has ended. A later call may shorten the time. */
  stopContainer(id: string, timeoutSeconds: number, options?: CallOptions): Promise<void>;
  removeContainer(id: string, options?: CallOptions): Promise<void>;
  listContainers(filter?: ContainerFilter, options?: CallOptions): Promise<readonly ContainerStatus[]>;
  containerStatus(id: string, options?: CallOptions): Promise<ContainerStatus>;

  /** What happens to containers from now on, until the signal aborts. Ends early when the listener cannot keep up. */
  containerEvents(signal: AbortSignal): AsyncIterable<ContainerEvent>;
}

export interface Image {
  /** A digest. */
  readonly id: string;
  readonly repoTags: readonly string[];
  readonly repoDigests: readonly string[];
  readonly size: number;
}

/** `ImageService` of the Container Runtime Interface, as far as nodes use it. */
export interface ImageService {
  listImages(options?: CallOptions): Promise<readonly Image[]>;
  imageStatus(image: ImageSpec, options?: CallOptions): Promise<Image | undefined>;
  /** Answers with the image by digest. */
  pullImage(image: ImageSpec, options?: CallOptions): Promise<string>;
  removeImage(image: ImageSpec, options?: CallOptions): Promise<void>;
}

/** What probes say of a running container. The runtime does not probe: this is the node's part. */
export interface ProbeResult {
  /** Its startup probe has succeeded, or it has none. */
  readonly isStarted: boolean;
  /** Its readiness probe succeeds, or it has none. */
  readonly isReady: boolean;
  /** When to ask again, if time alone may change the answer. */
  readonly changesAtMs?: number;
}

export interface ContainerProbes {
  result(container: ContainerStatus): ProbeResult;
}

/** All that a node needs to run pods. Disposing stops nothing: it lets go of what watches over the containers. */
export interface NodeRuntime extends Disposable {
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly probes: ContainerProbes;
  /**
   * Called with a pod of the node before its containers are looked at, whenever the pod has changed.
   *
   * For runtimes that forget when the process ends and are told what ran by what pods report, and for scripted ones. A
   * RuntimeError is told as an event; the pod goes on as before.
   */
  podSeen?(pod: Observed<Pod>): void;
}
