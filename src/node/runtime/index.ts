// The container runtime as nodes see it: the Container Runtime Interface in TypeScript.
export type {
  ContainerConfig,
  ContainerEventType,
  ContainerFilter,
  ContainerMetadata,
  ContainerState,
  ContainerStatus,
  ImageSpec,
} from './container.ts';
export type {
  PodSandboxConfig,
  PodSandboxFilter,
  PodSandboxMetadata,
  PodSandboxState,
  PodSandboxStatus,
  PortMapping,
} from './pod-sandbox.ts';
export type {
  CallOptions,
  ContainerEvent,
  ContainerProbes,
  Image,
  ImageService,
  NodeRuntime,
  PodSandboxStatusResponse,
  ProbeResult,
  RuntimeService,
  RuntimeVersion,
} from './container-runtime.ts';
export { isRuntimeNotFound, RuntimeError, type RuntimeErrorReason } from './runtime-error.ts';
export { CONTAINER_KIND, CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID } from './labels.ts';
