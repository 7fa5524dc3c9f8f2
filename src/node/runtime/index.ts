// The container runtime as nodes see it: the Container Runtime Interface in TypeScript.
export type * from './linux.ts';
export type * from './container.ts';
export type * from './pod-sandbox.ts';
export type * from './streaming.ts';
export type * from './container-logs.ts';
export type * from './container-actions.ts';
export type * from './container-runtime.ts';
export type * from './usage-details.ts';
export type * from './cgroup-figures.ts';
export { READY_RUNTIME } from './ready-runtime.ts';
export { isRuntimeNotFound, RuntimeError, type RuntimeErrorReason } from './runtime-error.ts';
export { CONTAINER_KIND, CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID } from './container.ts';
