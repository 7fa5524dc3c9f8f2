// What other controllers may import: running a number of identical pods.
export { replicaSetController } from './replicaset-controller.ts';
export { replicaController } from './replica-controller.ts';
export type { ReplicaKind, WantedReplicas } from './replica-kind.ts';
export { slowStart, type SlowStartResult } from './slow-start.ts';
