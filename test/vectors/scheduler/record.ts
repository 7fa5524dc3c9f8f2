// Lets a real kube-scheduler place the pods of clusters made up at random, and records where it puts them.
//   npm run peers -- etcd kube-apiserver kube-scheduler, then: npm run vectors:scheduler -- [--decisions] [--runs 6] [--seed TEXT]
// With --decisions it records the decisions of all plugins, with scores and victims, in place of the placements.
import { parseArgs } from 'node:util';
import { startKube, whyNoKube } from '../../../peers/index.ts';
import type { PodSpec } from '../../../src/api/types/core/v1.d.ts';
import { SeededRandom } from '../../../src/base/index.ts';
import { type Client, connect, mergePatch, type Pod, type Stored, StatusError } from '../../../src/client/index.ts';
import { recordDecisions } from './record-decisions.ts';
import { RandomCluster, type RandomNode, type RandomPod } from './random-cluster.ts';
import { type RecordedPod, type RecordedRun, writeRuns } from './recorded-run.ts';

const { values } = parseArgs({
  options: {
    decisions: { type: 'boolean', default: false },
    runs: { type: 'string', default: '6' },
    seed: { type: 'string', default: 'placements' },
  },
});

const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot record: ${why}`);
  process.exit(1);
}
if (values.decisions) {
  await recordDecisions({ runs: Number(values.runs), seed: values.seed });
  process.exit(0);
}
// without a controller manager there are no service accounts, and no controller removes taints of new nodes
const apiserverFlags = ['--disable-admission-plugins=ServiceAccount,TaintNodesByCondition'];
await using kube = await startKube({ parts: ['kube-scheduler'], apiserverFlags });
await using client = await connect({ kubeconfig: kube.kubeconfig });
const cluster = new RandomCluster(new SeededRandom(values.seed));
const runs: RecordedRun[] = [];
for (let index = 0; index < Number(values.runs); index++) {
  const run = await record(client, cluster.nodes(), cluster.pods());
  runs.push(run);
  const placed = run.pods.filter(({ node }) => node !== undefined).length;
  console.log(`run ${index}: ${run.pods.length} pods, ${placed} of them placed`);
}
writeRuns(runs);

async function record(client: Client, nodes: readonly RandomNode[], pods: readonly RandomPod[]): Promise<RecordedRun> {
  const { core } = client;
  const inDefault = core.v1.pods.namespace('default');
  for (const { name } of (await inDefault.list()).items.map(({ metadata }) => metadata))
    await inDefault.delete(name, { gracePeriodSeconds: 0 });
  for (const { metadata } of (await core.v1.nodes.list()).items) await core.v1.nodes.delete(metadata.name);
  for (const { metadata, spec, status } of nodes) {
    await core.v1.nodes.create({ metadata, spec });
    await core.v1.nodes.status.patch(metadata.name, mergePatch({ status }));
  }
  await pause(2000); // the scheduler hears of nodes and of pods by different watches
  const recorded: RecordedPod[] = [];
  for (const { name, spec } of pods) {
    const pod = await scheduled(client, { name, spec });
    if (pod !== undefined) recorded.push(recordOf(pod));
  }
  return { nodes, pods: recorded };
}

/** The pod after it was tried once; undefined when the API server does not want it. */
async function scheduled(client: Client, { name, spec }: RandomPod): Promise<Stored<Pod> | undefined> {
  const pods = client.core.v1.pods.namespace('default');
  try {
    await pods.create({ metadata: { name }, spec });
  } catch (error) {
    if (error instanceof StatusError && error.code === 422) return undefined; // such as less than its containers want
    throw error;
  }
  for (;;) {
    const pod = await pods.get(name);
    if (pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true) return pod;
    await pause(5);
  }
}

function recordOf({ metadata: { name }, spec, status }: Stored<Pod>): RecordedPod {
  const { containers = [], initContainers, tolerations, affinity, nodeSelector, resources, priority } = spec ?? {};
  const needed = (list: PodSpec['containers']): PodSpec['containers'] =>
    list.map(({ name, resources, ports, restartPolicy }) => ({ name, resources, ports, restartPolicy }));
  const kept: Partial<PodSpec> = {
    containers: needed(containers),
    initContainers: initContainers === undefined ? undefined : needed(initContainers),
    tolerations,
    affinity,
    nodeSelector,
    resources,
    priority,
  };
  if (spec?.nodeName !== undefined) return { name, spec: kept, node: spec.nodeName };
  const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  return { name, spec: kept, message: condition?.message ?? '' };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms));
}
