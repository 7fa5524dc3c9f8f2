import { ReplicationController } from '../client/index.ts';
import type { Controller } from '../kit/index.ts';
import { replicaController } from './replicaset/index.ts';

/** Keeps the desired number of pods running for each ReplicationController, the predecessor of ReplicaSets. */
export function replicationControllerController(): Controller {
  return replicaController({
    kind: ReplicationController,
    name: 'replicationcontroller',
    queueName: 'replicationmanager',
    component: 'replication-controller',
    countsTerminating: false,
    wantedOf: ({ metadata, spec, status }) => ({
      replicas: spec?.replicas ?? 1,
      minReadySeconds: spec?.minReadySeconds ?? 0,
      generation: metadata.generation ?? 0,
      selector: spec?.selector === undefined ? undefined : { matchLabels: spec.selector },
      template: spec?.template,
      status: status ?? { replicas: 0 },
    }),
  });
}
