// One node with one agent and pods with many volumes, measured: what `npm run bench:volumes` starts in namespaces for each agent.
import { parseArgs } from 'node:util';
import { connect } from '../../src/client/index.ts';
import { eventually } from '../../test/real-node/eventually.ts';
import { type AgentName, defaultNetwork, startRealCluster } from '../../test/real-node/index.ts';
import { tell } from './figures-file.ts';
import { NAMESPACE, type NodeBench } from './part.ts';
import { claimedVolumes, plainVolumes, serveBenchDriver, volumePart } from './volume-part.ts';

const ACCOUNT_LIMIT_MS = 30_000;
const { values: flags } = parseArgs({
  options: {
    agent: { type: 'string', default: 'keelson' },
    pods: { type: 'string', default: '5' },
    volumes: { type: 'string', default: '20' },
    figures: { type: 'string', default: '/dev/stdout' },
  },
});
const [pods, volumes] = [Number(flags.pods), Number(flags.volumes)];
const agent: AgentName = flags.agent === 'kubelet' ? 'kubelet' : 'keelson';
await using cluster = await startRealCluster({
  controlPlane: 'keelson',
  agent,
  network: defaultNetwork('kubelet'),
  print: console.error,
});
await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
await client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
await eventually(() => client.core.v1.serviceaccounts.namespace(NAMESPACE).get('default'), {
  what: 'a service account for pods',
  limitMs: ACCOUNT_LIMIT_MS,
});
const bench: NodeBench = {
  client,
  node: cluster.node,
  kubectl: { program: '', flags: [] }, // these parts run no commands
  scale: 1,
  add: (measure, value) => tell(flags.figures, { type: 'figure', measure, value }),
};
const stop = new AbortController();
const { running } = await serveBenchDriver(bench, stop.signal);
for (const kind of [plainVolumes, claimedVolumes(volumes)]) {
  const part = volumePart(kind, { pods, volumes });
  console.error(`${agent}: ${part.name}`);
  try {
    await part.measure(bench);
  } catch (error) {
    const message = cluster.node.daemon('agent').failure ?? (error instanceof Error ? error.message : String(error));
    tell(flags.figures, { type: 'failure', part: part.name, message });
  }
}
stop.abort();
await running;
