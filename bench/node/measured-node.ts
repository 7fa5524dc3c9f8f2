// One node with one agent, measured: what `npm run bench:node` starts in namespaces for each agent of each round.
import { parseArgs } from 'node:util';
import { findPeers } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { eventually } from '../../test/real-node/eventually.ts';
import { type AgentName, defaultNetwork, startRealCluster } from '../../test/real-node/index.ts';
import { tell } from './figures-file.ts';
import { NAMESPACE, type NodeBench, type NodePart } from './part.ts';
import { idlePart, podPart } from './pod-part.ts';
import { startSimulatedCluster } from './simulated-cluster.ts';
import { streamPart } from './stream-part.ts';

const ACCOUNT_LIMIT_MS = 30_000;
const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'keelson' },
    pods: { type: 'string', default: '1' },
    scale: { type: 'string', default: '1' },
    figures: { type: 'string', default: '/dev/stdout' },
    runtime: { type: 'string', default: 'containerd' },
    profile: { type: 'string' },
  },
});
const pods = flags.pods.split(',').map(Number);
const most = Math.max(...pods);
const parts: readonly NodePart[] = [
  idlePart,
  ...pods.map((count) => podPart(count, { isHeld: count === most })),
  ...(flags.runtime === 'containerd' ? [streamPart] : []),
];

// Only the streams are measured with kubectl, and only real containers have them.
const found = flags.runtime === 'containerd' ? findPeers(['kubectl']) : { paths: { kubectl: 'kubectl' } };
if (found.paths === undefined) throw new Error(`Cannot measure a node: ${found.reason}`);
const agent: AgentName = flags.agent === 'kubelet' ? 'kubelet' : 'keelson';
const agentNodeFlags = flags.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${flags.profile}`];
await using cluster =
  flags.runtime === 'simulated'
    ? await startSimulatedCluster(agent, agentNodeFlags)
    : await startRealCluster({
        controlPlane: 'keelson',
        agent,
        network: defaultNetwork('kubelet'), // both agents have the same programs beside them
        agentNodeFlags,
        print: console.error,
      });
const { kubeconfig } = cluster.server;
await using client = await connect({ kubeconfig });
await client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
await eventually(() => client.core.v1.serviceaccounts.namespace(NAMESPACE).get('default'), {
  what: 'a service account for pods',
  limitMs: ACCOUNT_LIMIT_MS,
});
const bench: NodeBench = {
  client,
  node: cluster.node,
  kubectl: { program: found.paths.kubectl, flags: [`--kubeconfig=${kubeconfig}`, `--namespace=${NAMESPACE}`] },
  scale: Number(flags.scale),
  add: (measure, value) => tell(flags.figures, { type: 'figure', measure, value }),
};
for (const part of parts) {
  console.error(`${agent}: ${part.name}`);
  try {
    await part.measure(bench);
  } catch (error) {
    const message = cluster.node.daemon('agent').failure ?? (error instanceof Error ? error.message : String(error));
    tell(flags.figures, { type: 'failure', part: part.name, message });
  }
}
