import { typeWarnings } from '../admission/index.ts';
import {
  builtInControllers,
  type ControllerSettings,
  SIMULATED_DRIVER,
  simulatedDriver,
  volumeSidecars,
} from '../controllers/index.ts';
import type { Part } from '../kit/index.ts';
import { nodeAgent, nodeAgents, type NodeAgentsOptions, type OpenNodeBackend } from '../node/index.ts';
import { scheduler, type SchedulerOptions } from '../scheduler/index.ts';
import { simulatedBackend, type SimulatedDevices, simulatedDevices } from '../simulated/index.ts';
import type { ControlPlane } from './control-plane.ts';
import type { Identity } from './in-process-client.ts';
import type { NodeEndpoints } from './node-endpoints.ts';

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
  /**
   * What nodes are called: the name alone for one, with a number behind it for more. `keelson` unless given, and on a store that other
   * processes may use the machine and port too, since no two processes may run the same node.
   */
  readonly nodeName?: string;
  /** Opens a port for each node, where it answers as a kubelet does; no unless given. */
  readonly nodeEndpoints?: boolean;
  /** Opens what these nodes run on; default simulated nodes. */
  readonly nodeBackend?: OpenNodeBackend;
  /** Whether `metrics.k8s.io` tells what simulated nodes and their pods use, for `kubectl top`; yes unless given. */
  readonly simulatedMetrics?: boolean;
  /** Whether simulated nodes have storage: a default class `standard`, and volumes for its claims; yes unless given. */
  readonly simulatedStorage?: boolean;
  /** Devices of simulated nodes that claims can ask for: drivers with how many each node has; none unless given. */
  readonly simulatedDevices?: SimulatedDevices;
}

/** A program of the control plane: its name is its user agent, and so what managedFields call it. */
export interface ClusterApp {
  readonly name: string;
  /** Who reads, and writes what nobody else does. */
  readonly identity: Identity;
  /** Who a writer is; undefined for one that writes as the program. */
  readonly identityOf?: (writer: string) => Identity | undefined;
  readonly parts: readonly Part[];
  /** Of several processes on one store, only one does this at a time. */
  readonly isOnePerCluster: boolean;
  /** Runs nodes that no other process may run at the same time. */
  readonly hasNodes?: boolean;
}

/** The nodes of a process. */
export interface NodesOfProcess {
  readonly nodeNames: readonly string[];
  /** See `NodeAgentsOptions`. */
  readonly firstIndex: number;
  readonly endpoints: NodeEndpoints | undefined;
}

/** The programs of a cluster, in the order they start. */
export function clusterApps(
  plane: ControlPlane,
  given: WorkloadOptions & NodesOfProcess & { readonly hasOneServer: boolean },
): readonly ClusterApp[] {
  const hasDeviceTaintRules = plane.server.registry
    .resourcesOf('resource.k8s.io')
    .some(({ plural, version }) => plural === 'devicetaintrules' && version === 'v1beta2');
  const options = { ...given, controllerSettings: { hasDeviceTaintRules, ...given.controllerSettings } };
  const {
    controllers = true,
    scheduler: schedules = true,
    nodes = 1,
    nodeBackend = simulatedBackend(),
    endpoints,
  } = options;
  const { certificate: rootCertificate } = plane.pki.authority;
  const builtIn =
    controllers === false
      ? []
      : builtInControllers({
          rootCertificate,
          signToken: plane.legacyToken,
          signing: { authority: () => plane.pki.authority, clock: plane.certificateClock },
          hasOneServer: options.hasOneServer,
          settings: options.controllerSettings,
          kindsChanged: (listener) => plane.server.registry.onChange(listener),
          checkPolicyTypes: (policy) => typeWarnings(policy, plane.server.registry),
          hasStorageVersionMigrations: plane.server.registry.hasGroup('storagemigration.k8s.io'),
        });
  const hasStorage = hasSimulatedStorage(options);
  const sidecars = hasStorage
    ? volumeSidecars(simulatedDriver()).map((part) => ({ ...part, account: PROVISIONER_ACCOUNT }))
    : [];
  const apps: readonly (ClusterApp | false)[] = [
    controllers !== false && {
      name: 'kube-controller-manager',
      identity: { user: 'system:kube-controller-manager', groups: [] },
      identityOf: controllerIdentity([...builtIn, ...sidecars]),
      isOnePerCluster: true,
      parts: [...(controllers === true ? builtIn : controllers(builtIn)), ...sidecars],
    },
    schedules !== false && {
      name: 'kube-scheduler',
      identity: SCHEDULER,
      ...(isPart(schedules) ? { identityOf: () => TRUSTED } : {}),
      isOnePerCluster: true,
      parts: [
        isPart(schedules)
          ? schedules
          : scheduler({ attempts: plane.attempts, ...(schedules === true ? {} : schedules) }),
      ],
    },
    options.simulatedDevices !== undefined && {
      name: 'simulated-devices',
      identity: TRUSTED,
      isOnePerCluster: true,
      parts: [simulatedDevices(options.simulatedDevices)],
    },
    nodes > 0 &&
      kubelet(
        options.nodeNames,
        {
          firstIndex: options.firstIndex,
          backend: nodeBackend,
          ...(hasStorage ? { drivers: [SIMULATED_DRIVER] } : {}),
          onAgent: (agent) => {
            const server = plane.localNodes.add(agent);
            endpoints?.serve(agent, server, plane.client(nodeIdentity(agent.name)));
          },
        },
        endpoints,
      ),
  ];
  return apps.filter((each) => each !== false);
}

/** The service account of those that run beside the simulated driver. */
export const PROVISIONER_ACCOUNT = 'volume-provisioner';

/** Storage is simulated where nodes are, if somebody binds claims. */
export function hasSimulatedStorage(options: WorkloadOptions): boolean {
  const { simulatedStorage = true, nodes = 1, nodeBackend, controllers = true } = options;
  return simulatedStorage && nodes > 0 && nodeBackend === undefined && controllers !== false;
}

const SCHEDULER: Identity = { user: 'system:kube-scheduler', groups: [] };

/** Whoever adds a part of their own to the process trusts it, and no role says what it needs. */
const TRUSTED: Identity = { user: 'system:kube-controller-manager', groups: ['system:masters'] };

function isPart(given: true | SchedulerOptions | Part): given is Part {
  return given !== true && 'prepare' in given;
}

/** Each built-in controller is a service account, as kube-controller-manager's with `--use-service-account-credentials`. */
function controllerIdentity(builtIn: readonly Part[]): (writer: string) => Identity | undefined {
  const accounts = new Set(builtIn.map(({ account }) => account));
  const withoutAccount = new Set(builtIn.flatMap(({ name, account }) => (account === undefined ? [name] : [])));
  return (writer) => {
    if (withoutAccount.has(writer)) return undefined; // the program itself
    if (!accounts.has(writer)) return TRUSTED;
    return {
      user: `system:serviceaccount:kube-system:${writer}`,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system'],
    };
  };
}

/**
 * A node may watch nothing but itself and its own pods. Many nodes in one process share their watches all the same, which are
 * then the scheduler's, who may see just as much; each writes as itself.
 */
function kubelet(
  names: readonly string[],
  options: Pick<NodeAgentsOptions, 'backend' | 'drivers' | 'onAgent' | 'firstIndex'>,
  endpoints: NodeEndpoints | undefined,
): ClusterApp {
  const [first = ''] = names;
  const shared = { name: 'kubelet', isOnePerCluster: false, hasNodes: true };
  if (names.length === 1) {
    const place = endpoints === undefined ? {} : { addresses: [endpoints.host], port: endpoints.portOf(first) };
    return { ...shared, identity: nodeIdentity(first), parts: [nodeAgent({ ...options, ...place, name: first })] };
  }
  const places =
    endpoints === undefined
      ? {}
      : { addresses: () => [endpoints.host], port: (name: string) => endpoints.portOf(name) };
  return {
    ...shared,
    identity: SCHEDULER,
    identityOf: nodeIdentity,
    parts: [nodeAgents({ ...options, ...places, names })],
  };
}

function nodeIdentity(name: string): Identity {
  return { user: `system:node:${name}`, groups: ['system:nodes'] };
}
