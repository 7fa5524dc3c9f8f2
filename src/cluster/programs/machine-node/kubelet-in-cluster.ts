import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Runnable } from '../../../base/index.ts';
import { linuxBackend, nodeAddresses } from '../../../linux/index.ts';
import { nodeAgent } from '../../../node/index.ts';
import type { Identity } from '../../in-process-client.ts';
import { clusterDnsServers } from '../dns/cluster-dns-address.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import { nodeSubject } from '../kubelet/node-endpoints.ts';
import type { ComposedProgram, ProgramContext } from '../program.ts';
import { addressesOf, servingOptions } from './standalone-kubelet.ts';
import { agentOptions, backendOptions, eventPace, machineProblem, parallelPulls } from './kubelet-backend.ts';
import { KubeletPorts } from './kubelet-ports.ts';
import type { MachineNodeOptions, RealNodeOptions } from './options.ts';
import { NO_FLAGS } from '../settings/flag-texts.ts';
import { readWritten, settingsOf } from './settings/read-settings.ts';
import { NETWORK_FOLDER } from '../../../cni/index.ts';
import { podCidrsOf } from './pod-network/pod-cidrs.ts';
import { podNetworkPart } from './pod-network/pod-network-part.ts';
import { tlsOf } from './tls-settings.ts';

type Context = ProgramContext<MachineNodeOptions>;

const ROOT_DIR = '/var/lib/kubelet';
/** A cluster for development runs on the machine that it is on: swap and older cgroups keep nothing from running. */
const DEFAULTS = { failSwapOn: false, failCgroupV1: false, clusterDomain: 'cluster.local' };

/** What the flags of `keelson up` ask for. */
export function realNodeFlags(flags: FlagValues): MachineNodeOptions {
  const endpoint = flags.text('container-runtime-endpoint');
  const file = flags.text('kubelet-config');
  if (endpoint === undefined) {
    const needing = ['kubelet-config', 'pod-cidr', 'cni-conf-dir', 'write-cni-config'].find((name) => flags.has(name));
    if (needing !== undefined) throw new FlagError(`--${needing} needs --container-runtime-endpoint`);
    return {};
  }
  if (process.platform !== 'linux')
    throw new FlagError('--container-runtime-endpoint needs Linux: elsewhere nodes are simulated');
  if (process.getuid?.() !== 0)
    throw new FlagError(
      '--container-runtime-endpoint needs root, because a node mounts volumes and makes cgroups; start it with sudo, or leave the flag out for simulated nodes',
    );
  const written = file === undefined ? {} : readWritten('kubelet-config', file);
  const defaults = { ...DEFAULTS, clusterDNS: clusterDnsServers(flags) };
  const settings = settingsOf({ ...defaults, ...written, containerRuntimeEndpoint: endpoint }, NO_FLAGS);
  const addresses = addressesOf(flags.text('node-ip'));
  const name = flags.text('node-name') ?? hostname().toLowerCase();
  return {
    realNode: {
      settings,
      name,
      ...(addresses === undefined ? {} : { addresses }),
      rootDir: flags.text('root-dir') ?? ROOT_DIR,
      podCidrs: podCidrsOf(flags.list('pod-cidr')),
      ...(flags.isSet('write-cni-config') ? { networkFolder: flags.text('cni-conf-dir') ?? NETWORK_FOLDER } : {}),
    },
  };
}

/** What the node has before it runs: its ports, and what it knows about its machine. */
export class OpenRealNode implements Disposable {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly ports: KubeletPorts;
  readonly agentOptions: Awaited<ReturnType<typeof agentOptions>>;

  static async open({ plane, options }: Context): Promise<OpenRealNode> {
    const { realNode, clock, random, log } = options;
    if (realNode === undefined) throw new Error('Cannot open a real node: the options name none');
    const { settings, rootDir = ROOT_DIR } = realNode;
    const problem = await machineProblem(settings);
    if (problem !== undefined) throw new Error(`Cannot run this machine as a node: ${problem}`);
    await writeFile('/proc/self/oom_score_adj', String(settings.oomScoreAdj)).catch(() => undefined); // not in a container
    const name = nameOf(realNode);
    const addresses = await nodeAddresses({ nodeIps: realNode.addresses ?? [], hostname: name });
    const ports = await KubeletPorts.open({
      settings,
      tls: tlsOf(settings),
      node: { name, addresses },
      rootDir,
      certDir: `${rootDir}/pki`,
      issued: plane.issue({ subject: nodeSubject(name), usage: 'server', names: [name, ...addresses, 'localhost'] }),
      clientAuthorities: plane.pki.authority.certificate,
      serving: servingOptions(settings, NO_FLAGS),
      client: plane.client(identityOf(name)),
      clock,
      random,
      log,
    });
    const behavior = await agentOptions(settings, { rootDir, nodeIps: realNode.addresses ?? [], clock, log });
    return new OpenRealNode(name, { addresses, ports, agentOptions: behavior });
  }

  private constructor(name: string, opened: Pick<OpenRealNode, 'addresses' | 'ports' | 'agentOptions'>) {
    this.name = name;
    this.addresses = opened.addresses;
    this.ports = opened.ports;
    this.agentOptions = opened.agentOptions;
  }

  [Symbol.dispose](): void {
    this.ports[Symbol.dispose]();
  }
}

/** The node as a part of a cluster. Containers run on when the cluster ends, and are found again by its next start. */
export function realNodeInCluster({ plane, options }: Context, opened?: OpenRealNode): ComposedProgram {
  const { realNode } = options;
  if (realNode === undefined || opened === undefined) return { identity: identityOf(''), parts: [] };
  const { settings, rootDir = ROOT_DIR, podCidrs = [], networkFolder } = realNode;
  const { name, addresses, ports } = opened;
  const part = nodeAgent({
    name,
    addresses,
    podCidrs,
    port: ports.port,
    taints: settings.registerWithTaints,
    maxParallelPulls: parallelPulls(settings),
    ...opened.agentOptions,
    network: plane.podNetwork,
    backend: linuxBackend(backendOptions(settings, { addresses, rootDir, isOwnMachine: false })),
    onAgent: (agent) => {
      ports.serve(agent);
      plane.localNodes.add(agent, servingOptions(settings, NO_FLAGS));
    },
  });
  const renewal: Runnable = { run: (signal) => ports.run(signal) };
  const network =
    networkFolder === undefined ? [] : [podNetworkPart({ nodeName: name, folder: networkFolder, podCidrs })];
  return {
    identity: identityOf(name),
    parts: [part, { name: 'kubelet-certificates', prepare: () => renewal }, ...network],
    eventPace: eventPace(settings),
  };
}

function nameOf({ name }: RealNodeOptions): string {
  return name ?? hostname().toLowerCase();
}

function identityOf(name: string): Identity {
  return { user: `system:node:${name}`, groups: ['system:nodes'] };
}
