import type { Clock, Random } from '../../base/index.ts';
import type { ContainerConfig, OpenPort, PodSandboxConfig } from '../../node/index.ts';
import type { PulledImage, PullRequest } from './kept-images.ts';

/** A container as the functions of a runtime get it. */
export interface RuntimeContainer {
  readonly id: string;
  readonly config: ContainerConfig;
  readonly pod: RuntimePod;
}

/** A pod as the functions of a runtime get it. */
export interface RuntimePod {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly ip: string;
}

/** What a program of a container reads and writes. */
export interface ProgramIo {
  /** Ends when the client closes its side; at once for a program without input. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Resolves when there is room for more. */
  stdout(output: string | Uint8Array): Promise<void>;
  stderr(output: string | Uint8Array): Promise<void>;
  /** Aborts when the program has to end: the container is stopped or removed, or the client of a command is gone. */
  readonly signal: AbortSignal;
}

/** What a container uses. */
export interface ContainerUsage {
  /** Since it started. */
  readonly usageCoreNanoSeconds: number;
  readonly workingSetBytes: number;
}

/** What a container runtime is called, and what it does with sandboxes, containers and images. */
export interface CriRuntimeDefinition {
  /** As before `://` in the ids of containers in pods' status. */
  readonly name: string;
  readonly version: string;
  /** Runs the program of a container to its end, and returns the exit code. The container is running until then. */
  run(container: RuntimeContainer, io: ProgramIo): Promise<number>;
  /** Runs a command in a running container, and returns its exit code; without this, commands are refused. */
  exec?(container: RuntimeContainer, command: readonly string[], io: ProgramIo): Promise<number>;
  /** Connects to a port of a pod; without this, port-forward is refused. */
  readonly connect?: (pod: RuntimePod, ...call: Parameters<OpenPort>) => ReturnType<OpenPort>;
  /** Prepares a pod, such as its network, and returns its address; default addresses of 10.88.0.0/16 that lead nowhere. */
  startPod?(pod: Omit<RuntimePod, 'ip'>): Promise<{ readonly ip: string }>;
  /** Undoes `startPod`. Must succeed when called again. */
  stopPod?(pod: RuntimePod): Promise<void>;
  /** Pulls an image, or throws a RuntimeError; default every image exists. */
  pull?(image: PullRequest): Promise<PulledImage>;
  /** Default nothing is used. */
  usage?(container: RuntimeContainer): ContainerUsage;
  /** Default real time. */
  readonly clock?: Clock;
  readonly random?: Random;
}
