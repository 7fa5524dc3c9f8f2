// A container runtime behind a socket: the Container Runtime Interface over gRPC.
export { CriCalls, type CriCallsOptions } from './cri-calls.ts';
export { CriImages } from './cri-images.ts';
export { CriRuntime, runtimeCgroupDriver, runtimeVersion } from './cri-runtime.ts';
export { CriServer, type CriServerOptions } from './server/cri-server.ts';
export type { ServedRuntime } from './server/served-runtime.ts';
