import { builtInControllers } from '../controllers/index.ts';
import type { Part } from '../kit/index.ts';
import { nodeAgents, nodeNames } from '../node/index.ts';
import { scheduler } from '../scheduler/index.ts';
import type { ControlPlane, Identity } from './control-plane.ts';

/** What runs beside the API server. */
export interface WorkloadOptions {
  /** The built-in controllers; yes unless given. */
  readonly controllers?: boolean;
  readonly scheduler?: boolean;
  /** How many simulated nodes there are; 1 unless given. */
  readonly nodes?: number;
}

/** A program of the control plane: its name is its user agent, and so what managedFields call it. */
export interface ClusterApp {
  readonly name: string;
  readonly identity: Identity;
  readonly parts: readonly Part[];
  /** Of several processes on one store, only one does this at a time. */
  readonly isOnePerCluster: boolean;
}

/** Everything may be done by all of them until there is RBAC. */
const groups = ['system:masters'];

/** The programs of a cluster, in the order they start. */
export function clusterApps(
  plane: ControlPlane,
  options: WorkloadOptions & { readonly hasOneServer: boolean },
): readonly ClusterApp[] {
  const { controllers = true, scheduler: schedules = true, nodes = 1 } = options;
  const { certificate } = plane.pki.authority;
  return [
    ...(controllers
      ? [
          {
            name: 'kube-controller-manager',
            identity: { user: 'system:kube-controller-manager', groups },
            isOnePerCluster: true,
            parts: builtInControllers({
              rootCertificate: certificate,
              hasOneServer: options.hasOneServer,
              kindsChanged: (listener) => plane.server.registry.onChange(listener),
            }),
          },
        ]
      : []),
    ...(schedules
      ? [
          {
            name: 'kube-scheduler',
            identity: { user: 'system:kube-scheduler', groups },
            isOnePerCluster: true,
            parts: [scheduler()],
          },
        ]
      : []),
    ...(nodes > 0
      ? [
          {
            name: 'kubelet',
            identity: { user: 'system:nodes', groups },
            isOnePerCluster: false,
            parts: [nodeAgents({ names: nodeNames(nodes) })],
          },
        ]
      : []),
  ];
}
