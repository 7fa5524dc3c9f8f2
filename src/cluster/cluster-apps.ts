import { builtInControllers, type ControllerSettings } from '../controllers/index.ts';
import type { Part } from '../kit/index.ts';
import { nodeAgents, type NodeAgentsOptions, nodeNames } from '../node/index.ts';
import { scheduler, type SchedulerOptions } from '../scheduler/index.ts';
import type { ControlPlane, Identity } from './control-plane.ts';

/** What runs beside the API server. */
export interface WorkloadOptions {
  /** Which controllers run: the built-in ones unless given; a function makes its choice of them and adds others. */
  readonly controllers?: boolean | ((builtIn: readonly Part[]) => readonly Part[]);
  /** How the built-in controllers work, where it is not as upstream's do by default. */
  readonly controllerSettings?: ControllerSettings;
  /** Whether, and how, pods are scheduled: with our plugins unless given, or by a part that takes the scheduler's place. */
  readonly scheduler?: boolean | SchedulerOptions | Part;
  /** How many nodes there are; 1 unless given. */
  readonly nodes?: number;
  /** What runs the containers of these nodes; simulated unless given. */
  readonly runtime?: NodeAgentsOptions['runtime'];
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
  const { controllers = true, scheduler: schedules = true, nodes = 1, runtime } = options;
  const { certificate: rootCertificate } = plane.pki.authority;
  const builtIn = (): readonly Part[] =>
    builtInControllers({
      rootCertificate,
      hasOneServer: options.hasOneServer,
      settings: options.controllerSettings,
      kindsChanged: (listener) => plane.server.registry.onChange(listener),
      hasStorageVersionMigrations: plane.server.registry.hasGroup('storagemigration.k8s.io'),
    });
  const apps: readonly (ClusterApp | false)[] = [
    controllers !== false && {
      name: 'kube-controller-manager',
      identity: { user: 'system:kube-controller-manager', groups },
      isOnePerCluster: true,
      parts: controllers === true ? builtIn() : controllers(builtIn()),
    },
    schedules !== false && {
      name: 'kube-scheduler',
      identity: { user: 'system:kube-scheduler', groups },
      isOnePerCluster: true,
      parts: [schedules === true ? scheduler() : 'prepare' in schedules ? schedules : scheduler(schedules)],
    },
    nodes > 0 && {
      name: 'kubelet',
      identity: { user: 'system:nodes', groups },
      isOnePerCluster: false,
      parts: [nodeAgents({ names: nodeNames(nodes), ...(runtime === undefined ? {} : { runtime }) })],
    },
  ];
  return apps.filter((each) => each !== false);
}
