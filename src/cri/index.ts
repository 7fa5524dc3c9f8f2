// A container runtime behind a socket: the Container Runtime Interface over gRPC, both sides of it.
export { CriCalls, type CriCallsOptions } from './cri-calls.ts';
export { CriImages } from './cri-images.ts';
export { CriRuntime, runtimeCgroupDriver, runtimeVersion } from './cri-runtime.ts';
export { CriServer, type CriServerOptions } from './server/cri-server.ts';
export type { ServedRuntime } from './server/served-runtime.ts';
export {
  type ContainerUsage,
  criRuntime,
  type CriRuntimeDefinition,
  type ProgramIo,
  type RuntimeContainer,
  type RuntimePod,
} from './kit/cri-runtime.ts';
export type { PulledImage, PullRequest } from './kit/kept-images.ts';
