// What other controllers may use: keeping a number of equal pods running.
export { replicaSetController } from './replicaset-controller.ts';
export { replicaController } from './replica-controller.ts';
export type { ReplicaKind, WantedReplicas } from './replica-kind.ts';
export { slowStart } from './slow-start.ts';
