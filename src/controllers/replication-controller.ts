import { ReplicationController } from '../client/index.ts';
import type { Controller } from '../kit/index.ts';
import { replicaController } from './replicaset/index.ts';

/** Keeps as many pods running as each ReplicationController says: ReplicaSets of an older make, with labels as selector. */
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
