// The public entry point `keelson/cri`: container runtimes, written in TypeScript and called from it.
export { criRuntime } from './kit/cri-runtime.ts';
export type {
  ContainerUsage,
  CriRuntimeDefinition,
  ProgramIo,
  RuntimeContainer,
  RuntimePod,
} from './kit/runtime-definition.ts';
export { type CriClient, criClient } from './kit/cri-client.ts';
export { criServer, type RunningCriServer, type ServedAt } from './kit/cri-server.ts';
export type { PulledImage, PullRequest } from './kit/kept-images.ts';
export type { ServedRuntime } from './server/served-runtime.ts';
export { RuntimeError } from '../node/index.ts';
