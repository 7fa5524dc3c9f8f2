// A container runtime behind a socket: the Container Runtime Interface over gRPC, both sides of it.
export { CriCalls, type CriCallsOptions } from './cri-calls.ts';
export { CriImages } from './cri-images.ts';
export { CriRuntime, runtimeCgroupDriver, runtimeVersion } from './cri-runtime.ts';
export { type PodStats, podStats } from './pod-stats.ts';
export { CriServer, type CriServerOptions } from './server/cri-server.ts';
export type { ServedRuntime } from './server/served-runtime.ts';
export { criRuntime } from './kit/cri-runtime.ts';
export type {
  ContainerUsage,
  CriRuntimeDefinition,
  ProgramIo,
  RuntimeContainer,
  RuntimePod,
} from './kit/runtime-definition.ts';
export type { PulledImage, PullRequest } from './kit/kept-images.ts';
