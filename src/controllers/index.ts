// What other folders may use: the built-in controllers.
import type { Part } from '../kit/index.ts';
import { deploymentController } from './deployment/index.ts';
import { endpointsController } from './endpoints/index.ts';
import { endpointSliceController } from './endpointslice/index.ts';
import { garbageCollector } from './garbage-collector/index.ts';
import { namespaceController } from './namespace/index.ts';
import { nodeLifecycleController } from './node-lifecycle/index.ts';
import { podGc } from './pod-gc/index.ts';
import { replicaSetController } from './replicaset/index.ts';
import { replicationControllerController } from './replicationcontroller/index.ts';
import { rootCaPublisher } from './root-ca/index.ts';
import { serviceAccountController } from './service-account/index.ts';
import { taintEvictionController } from './taint-eviction/index.ts';

export interface BuiltInControllersOptions {
  /** PEM of the authority that signs the API server's certificate. */
  readonly rootCertificate: string;
  /** Whether there is no other API server on the same store; no unless given. */
  readonly hasOneServer?: boolean;
}

/** Everything that kube-controller-manager would run, of what there is. */
export function builtInControllers(options: BuiltInControllersOptions): readonly Part[] {
  const { rootCertificate, hasOneServer = false } = options;
  return [
    serviceAccountController(),
    rootCaPublisher({ certificate: rootCertificate }),
    deploymentController(),
    replicaSetController(),
    replicationControllerController(),
    endpointSliceController(),
    endpointsController(),
    namespaceController(hasOneServer ? { settleMs: 0 } : {}),
    garbageCollector(),
    podGc(),
    nodeLifecycleController(),
    taintEvictionController(),
  ];
}
