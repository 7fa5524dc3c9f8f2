// Containers as a container runtime sees them. Names as in the Container Runtime Interface; times in milliseconds.

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
  /** As the pod has it. */
  readonly userSpecifiedImage?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ContainerConfig {
  readonly metadata: ContainerMetadata;
  readonly image: ImageSpec;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly workingDir: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly stdin: boolean;
  readonly tty: boolean;
}

export interface ContainerStatus {
  readonly id: string;
  readonly podSandboxId: string;
  readonly metadata: ContainerMetadata;
  readonly state: ContainerState;
  readonly createdAtMs: number;
  readonly startedAtMs: number | undefined;
  readonly finishedAtMs: number | undefined;
  readonly exitCode: number;
  readonly image: ImageSpec;
  /** The image by digest. */
  readonly imageRef: string;
  /** One word for how it ended, such as `Completed` or `OOMKilled`. */
  readonly reason: string;
  readonly message: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface ContainerFilter {
  readonly id?: string;
  readonly state?: ContainerState;
  readonly podSandboxId?: string;
}

/** As `ContainerEventType` of the interface. */
export type ContainerEventType =
  | 'CONTAINER_CREATED_EVENT'
  | 'CONTAINER_STARTED_EVENT'
  | 'CONTAINER_STOPPED_EVENT'
  | 'CONTAINER_DELETED_EVENT';
