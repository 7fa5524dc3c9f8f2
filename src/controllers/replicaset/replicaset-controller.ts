import { ReplicaSet } from '../../client/index.ts';
import type { Controller } from '../../kit/index.ts';
import { replicaController } from './replica-controller.ts';

/** Keeps the desired number of pods running for each ReplicaSet. */
export function replicaSetController(): Controller {
  return replicaController({
    kind: ReplicaSet,
    name: 'replicaset',
    component: 'replicaset-controller',
    countsTerminating: true,
    wantedOf: ({ metadata, spec, status }) => ({
      replicas: spec?.replicas ?? 1,
      minReadySeconds: spec?.minReadySeconds ?? 0,
      generation: metadata.generation ?? 0,
      selector: spec?.selector,
      template: spec?.template,
      status: status ?? { replicas: 0 },
    }),
  });
}
