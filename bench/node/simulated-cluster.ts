import { access, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { startKeelson } from '../../peers/index.ts';
import { eventually } from '../../test/real-node/eventually.ts';
import { type AgentName, nodeAgents, type RealNode } from '../../test/real-node/index.ts';
import { room } from '../../test/real-node/namespaces.ts';
import { NodeCredentials } from '../../test/real-node/node-credentials.ts';
import { CLUSTER_RANGE, NODE_ADDRESS, nodeLayout } from '../../test/real-node/node-layout.ts';
import { NodeProcesses } from '../../test/real-node/node-processes.ts';
import { keelsonCommand } from '../../test/real-node/node-program.ts';
import { awaitReady } from '../../test/real-node/real-node.ts';

const START_LIMIT_MS = 60_000;
const FLAGS = [
  '--nodes=0',
  '--simulated-storage=false',
  '--bind-address=0.0.0.0',
  `--advertise-address=${NODE_ADDRESS}`,
  '--kubelet-preferred-address-types=InternalIP',
  '--allocate-node-cidrs=true',
  `--cluster-cidr=${CLUSTER_RANGE}`,
];

export interface SimulatedCluster extends AsyncDisposable {
  readonly server: { readonly kubeconfig: string };
  readonly node: RealNode;
}

/** A node whose agent is real, with volumes and cgroups, on `keelson cri`: no container has processes, so nothing else takes the processors. */
export async function startSimulatedCluster(
  agent: AgentName,
  agentNodeFlags: readonly string[],
): Promise<SimulatedCluster> {
  const server = await startKeelson({ folder: join(room(), 'server'), flags: FLAGS });
  const layout = { ...nodeLayout(room()), runtimeSocket: '/run/keelson/cri.sock' };
  const node = new NodeProcesses(layout);
  node.needs(server);
  try {
    await mkdir(dirname(layout.runtimeSocket), { recursive: true });
    const around = { server, credentials: await NodeCredentials.read(server) };
    await node.start('runtime', keelsonCommand(around, 'cri', `--listen=unix://${layout.runtimeSocket}`));
    const daemons = [node.daemon('runtime')];
    await eventually(() => access(layout.runtimeSocket), { what: 'a runtime', limitMs: START_LIMIT_MS, daemons });
    await node.start('agent', await nodeAgents[agent].prepare(layout, { ...around, nodeFlags: agentNodeFlags }));
    await awaitReady(server, node);
    return { server, node, [Symbol.asyncDispose]: () => node[Symbol.asyncDispose]() };
  } catch (error) {
    await node[Symbol.asyncDispose]();
    throw error;
  }
}
