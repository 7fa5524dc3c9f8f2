// Measures our scheduler and kube-scheduler one after the other on the same real kube-apiserver:
//   npm run peers -- etcd kube-apiserver kube-scheduler, then:
//   node scripts/run.mjs bench/scheduling/beside-kube.ts [--nodes 5000] [--pods 1000] [--only "pod affinity"]
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Daemon, findPeers, startKube, whyNoKube } from '../../peers/index.ts';
import { type Client, connect } from '../../src/client/index.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';
import { HOSTNAME, type PodTemplate, type Workload, workloads, ZONE } from './workloads.ts';

const { values: args } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '1000' },
    only: { type: 'string' },
  },
});
/** Requests at once while a cluster is made. */
const MAX_REQUESTS = 32;
const PATIENCE_MS = 600_000;
const nodeCount = Number(args.nodes);
/** How fast, how much of a processor and how much memory. */
interface Figures {
  readonly podsPerSecond: number;
  readonly cpuMsPerPod: number;
  readonly rssMb: number;
}

const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) {
  console.error(`Cannot measure: ${why}`);
  process.exit(1);
}
const off = 'ServiceAccount,TaintNodesByCondition,Priority,RuntimeClass';
await using kube = await startKube({
  apiserverFlags: [`--disable-admission-plugins=${off}`, '--max-mutating-requests-inflight=1000'],
});
await using client = await connect({ kubeconfig: kube.kubeconfig });
const config = join(kube.folder, 'scheduler.json');
const connection = { kubeconfig: kube.kubeconfig, qps: 5000, burst: 5000 };
const kind = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
await writeFile(
  config,
  JSON.stringify({ ...kind, clientConnection: connection, leaderElection: { leaderElect: false } }),
);
const real = findPeers(['kube-scheduler'], process.env).paths?.['kube-scheduler'] ?? '';
const programs: Readonly<Record<string, readonly [string, ...string[]]>> = {
  'kube-scheduler': [real, `--config=${config}`, '--secure-port=0'],
  keelson: [process.execPath, join('scripts', 'run.mjs'), 'bench/scheduling/our-scheduler.ts', kube.kubeconfig],
};

await makeNodes(client);
for (const workload of workloads) {
  if (workload.isUnschedulable === true || workload.churnEvery !== undefined) continue;
  if (args.only !== undefined && args.only !== workload.name) continue;
  for (const name of Object.keys(programs)) {
    const { podsPerSecond, cpuMsPerPod, rssMb } = await measure(name, workload);
    const what = `${nodeCount} nodes, ${workload.name}, ${name}`;
    console.log(
      `${what.padEnd(58)}${podsPerSecond.toFixed(0).padStart(6)} pods/s ${cpuMsPerPod.toFixed(2).padStart(7)} ms of CPU a pod ${rssMb.toFixed(0).padStart(5)} MB`,
    );
  }
}

async function measure(name: string, { pod, before }: Workload): Promise<Figures> {
  const [command, ...rest] = programs[name] ?? [''];
  await removePods(client);
  await makePods('before', before ?? {}, nodeCount * (before?.perNode ?? 0));
  const wanted = Number(args.pods);
  await makePods('pod', pod, wanted);
  await using daemon = new Daemon(command, rest, { logPath: join(kube.folder, `${name}.log`) });
  const bound = await watchBound(wanted, daemon);
  const cpuMs = cpuMsOf(daemon.pid) - bound.firstCpuMs;
  const rssMb = rssMbOf(daemon.pid);
  const counted = wanted - bound.firstCount;
  return { podsPerSecond: (counted / bound.ms) * 1000, cpuMsPerPod: cpuMs / counted, rssMb };
}

interface Binding {
  readonly ms: number;
  /** Of the program, when the first pod was tried. */
  readonly firstCpuMs: number;
  readonly firstCount: number;
}

/** Waits until all pods have a node; the clock starts when the first one was tried. */
async function watchBound(wanted: number, daemon: Daemon): Promise<Binding> {
  const started = performance.now();
  const bound = new Set<string>();
  let first: { readonly atMs: number; readonly firstCpuMs: number; readonly firstCount: number } | undefined;
  while (performance.now() - started < PATIENCE_MS && daemon.failure === undefined) {
    // a watch may end at any time, and the next one begins with what is there
    for await (const event of client.core.v1.pods.namespace('default').watch({ labelSelector: 'measured=true' })) {
      if (event.type === 'BOOKMARK') continue;
      const { metadata, spec, status } = event.object;
      const isTried = status?.conditions?.some(({ type }) => type === 'PodScheduled') ?? false;
      if (isTried) first ??= { atMs: performance.now(), firstCpuMs: cpuMsOf(daemon.pid), firstCount: bound.size };
      if (first === undefined || spec?.nodeName === undefined) continue;
      bound.add(metadata.uid);
      if (bound.size === wanted) return { ...first, ms: performance.now() - first.atMs };
    }
  }
  throw new Error(`Cannot measure "${daemon.name}": ${daemon.failure ?? 'it takes too long'}`);
}

async function makeNodes({ core }: Client): Promise<void> {
  await inTurns(nodeCount, async (index) => {
    const name = `node-${index}`;
    const allocatable = { cpu: '4', memory: '32Gi', pods: '110' };
    const labels = { [HOSTNAME]: name, [ZONE]: `zone-${index % 3}` };
    await core.v1.nodes.create({ metadata: { name, labels }, status: { allocatable, capacity: allocatable } });
  });
}

async function makePods(prefix: string, { labels, requests, spec }: PodTemplate, count: number): Promise<void> {
  const isBefore = prefix === 'before';
  await inTurns(count, async (index) => {
    const containers = [{ name: 'main', image: 'registry.k8s.io/pause', resources: { requests } }];
    await client.core.v1.pods.namespace('default').create({
      metadata: { name: `${prefix}-${index}`, labels: { ...labels, ...(isBefore ? {} : { measured: 'true' }) } },
      spec: {
        containers,
        terminationGracePeriodSeconds: 0,
        priority: 0,
        ...spec,
        ...(isBefore ? { nodeName: `node-${index % nodeCount}` } : {}),
      },
    });
  });
}

async function removePods({ core }: Client): Promise<void> {
  const pods = core.v1.pods.namespace('default');
  const { items } = await pods.list();
  await inTurns(items.length, async (index) => {
    await pods.delete(items[index]?.metadata.name ?? '', { gracePeriodSeconds: 0 });
  });
}

async function inTurns(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: MAX_REQUESTS }, worker));
}
