import { claim, clusterRole, configMap, node, quota, secret, serviceAccount } from './core-kinds.ts';
import { ingress, networkPolicy, service } from './network-kinds.ts';
import type { VectorKind } from './vector-kind.ts';
import { autoscaler, deployment, podTemplate, statefulSet } from './workload-kinds.ts';

export const vectorKinds: readonly VectorKind[] = [
  deployment,
  statefulSet,
  service,
  configMap,
  secret,
  serviceAccount,
  podTemplate,
  networkPolicy,
  ingress,
  node,
  clusterRole,
  claim,
  quota,
  autoscaler,
];
