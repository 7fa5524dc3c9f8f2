// Containers as a container runtime sees them. Names as in the Container Runtime Interface; times in milliseconds.
import type { LinuxContainerResources, LinuxContainerSecurityContext } from './linux.ts';
import type { UsageDetails } from './usage-details.ts';

/** As `ContainerState` of the interface. */
export type ContainerState = 'CONTAINER_CREATED' | 'CONTAINER_RUNNING' | 'CONTAINER_EXITED' | 'CONTAINER_UNKNOWN';

export interface ContainerMetadata {
  /** The container's name in the pod. */
  readonly name: string;
  /** How often it was made before: what pods report as its restart count. */
  readonly attempt: number;
}

export interface ImageSpec {
  /** Name with tag or digest. */
  readonly image: string;
  /** The image as written in the pod. */
  readonly userSpecifiedImage?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** The handler of the pod's RuntimeClass; default the runtime's default handler. */
  readonly runtimeHandler?: string;
}

export interface EnvironmentVariable {
  readonly key: string;
  readonly value: string;
}

export interface Mount {
  readonly containerPath: string;
  /** Empty for the content of an image. */
  readonly hostPath: string;
  /** The image whose content is mounted. */
  readonly image?: ImageSpec;
  /** The part of that content; default all of it. */
  readonly imageSubPath?: string;
  readonly readonly: boolean;
  readonly recursiveReadOnly: boolean;
  readonly propagation: 'PROPAGATION_PRIVATE' | 'PROPAGATION_HOST_TO_CONTAINER' | 'PROPAGATION_BIDIRECTIONAL';
  readonly selinuxRelabel: boolean;
}

export interface Device {
  readonly containerPath: string;
  readonly hostPath: string;
  /** Any of `r`, `w` and `m`. */
  readonly permissions: string;
}

/** Identifies a container. */
export interface ContainerIdentity {
  readonly metadata: ContainerMetadata;
  readonly image: ImageSpec;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Where it logs, below the log directory of the sandbox: `web/0.log`. */
  readonly logPath: string;
}

export interface ContainerConfig extends ContainerIdentity {
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly envs: readonly EnvironmentVariable[];
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  /** Names of the Container Device Interface. */
  readonly cdiDevices: readonly string[];
  readonly stdin: boolean;
  /** The first one to attach closes it for good. */
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** Such as `SIGINT`; default the signal of the image. */
  readonly stopSignal?: string;
  readonly linux: {
    readonly resources: LinuxContainerResources;
    readonly securityContext: LinuxContainerSecurityContext;
  };
}

/** The resources of a container that can be changed while it runs; what the runtime does not say is undefined. */
export interface SetResources {
  readonly cpuPeriod?: number | undefined;
  readonly cpuQuota?: number | undefined;
  readonly cpuShares?: number | undefined;
  readonly memoryLimitInBytes?: number | undefined;
}

export interface ContainerUser {
  readonly linux?: {
    readonly uid: number;
    readonly gid: number;
    readonly supplementalGroups: readonly number[];
  };
}

export interface ContainerStatus extends ContainerIdentity {
  readonly id: string;
  readonly podSandboxId: string;
  readonly state: ContainerState;
  readonly createdAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  readonly exitCode: number;
  /** The image by digest. */
  readonly imageRef: string;
  /** One word for how it ended, such as `Completed` or `OOMKilled`. */
  readonly reason: string;
  readonly message: string;
  /** Ids of the images that are mounted in it; undefined in lists of runtimes that say it only in the status of a container. */
  readonly mountedImages?: readonly string[] | undefined;
  /** The identity of its first process; undefined from runtimes that do not say. */
  readonly user?: ContainerUser | undefined;
  /** What the runtime has set; undefined from runtimes that do not say. */
  readonly resources?: SetResources | undefined;
  /** The whole path of the log file on the node. */
  readonly logPath: string;
}

export interface ContainerFilter {
  readonly id?: string;
  readonly state?: ContainerState;
  readonly podSandboxId?: string;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

/** Current and accumulated usage of a container or a node. */
export interface MeasuredUsage {
  readonly timestampMs: number;
  /** Computed from the accumulated CPU time where a runtime does not report it. */
  readonly usageNanoCores?: number;
  readonly usageCoreNanoSeconds: number;
  readonly workingSetBytes: number;
  /** What else was measured; undefined where nothing was. */
  readonly details?: UsageDetails;
}

export interface ContainerStats extends MeasuredUsage {
  readonly id: string;
  readonly metadata: ContainerMetadata;
  readonly writableLayerBytes: number;
  /** Default 0, for a runtime that does not count them. */
  readonly writableLayerInodes?: number;
}

/** As `ContainerEventType` of the interface. */
export type ContainerEventType =
  | 'CONTAINER_CREATED_EVENT'
  | 'CONTAINER_STARTED_EVENT'
  | 'CONTAINER_STOPPED_EVENT'
  | 'CONTAINER_DELETED_EVENT';

/** The kubelet's labels of containers and sandboxes. */
export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';
/** The annotation with the type of a container: `init`, `sidecar`, `regular` or `ephemeral`. */
export const CONTAINER_KIND = 'keelson.dev/container-kind';
