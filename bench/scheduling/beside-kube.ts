import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Daemon, findPeer, freePorts, type RunningKube, startKube } from '../../peers/index.ts';
import { type Client, connect, type Observed, type Pod } from '../../src/client/index.ts';
import type { Report } from '../api/report.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';
import { KubeCluster, MEASURED } from './kube-cluster.ts';
import type { Workload } from './workloads.ts';

export const OURS = 'keelson scheduler';
export const THEIRS = 'kube-scheduler';

export interface BesideKubeOptions {
  readonly nodes: number;
  readonly rounds: number;
  /** A tenth of the pods, say, to try it. */
  readonly scale: number;
  readonly workloads: readonly Workload[];
}

/** How fast, how much of a processor and how much memory. */
interface Figures {
  readonly podsPerSecond: number;
  readonly cpuMsPerPod: number;
  readonly serverCpuMsPerPod: number;
  readonly mostMb: number;
}

const PATIENCE_MS = 600_000;
const LOOK_MS = 250;
/** Admission that only costs time here: there are no service accounts, and no controller removes taints. */
const WITHOUT = 'ServiceAccount,TaintNodesByCondition,Priority,RuntimeClass';

/** Our scheduler and kube-scheduler one after the other on the same real kube-apiserver, with the same configuration file. */
export async function measureBesideKube(report: Report, options: BesideKubeOptions): Promise<void> {
  await using kube = await startKube({
    apiserverFlags: [`--disable-admission-plugins=${WITHOUT}`, '--max-mutating-requests-inflight=1000'],
  });
  await using client = await connect({ kubeconfig: kube.kubeconfig });
  const programs = await schedulers(kube);
  const cluster = new KubeCluster(client, options.nodes);
  await cluster.makeNodes();
  for (const workload of options.workloads) {
    for (let round = 0; round < options.rounds; round++) {
      for (const [name, start] of round % 2 === 0 ? programs : programs.toReversed()) {
        const count = Math.ceil(workload.count * options.scale);
        const figures = await measure({ kube, client, cluster, start }, { ...workload, count });
        const add = (what: string, unit: string, value: number): void =>
          report.add(name, { name: `${workload.name}: ${what}`, unit, better: 'lower' }, value);
        const pods = { name: workload.name, unit: 'pods/s', better: 'higher', aim: { times: 1 } } as const;
        report.add(name, pods, figures.podsPerSecond);
        add('its processor time a pod', 'ms', figures.cpuMsPerPod);
        add("the API server's and etcd's a pod", 'ms', figures.serverCpuMsPerPod);
        add('most memory', 'MB', figures.mostMb);
      }
    }
  }
}

type Start = () => Daemon;

/** Flags of a scheduler that may send 5,000 requests a second and is the only one. */
export async function unhurriedScheduler(kube: RunningKube): Promise<readonly string[]> {
  const config = join(kube.folder, 'scheduler.json');
  const clientConnection = { kubeconfig: kube.kubeconfig, qps: 5000, burst: 5000 };
  const kind = { apiVersion: 'kubescheduler.config.k8s.io/v1', kind: 'KubeSchedulerConfiguration' };
  await writeFile(config, JSON.stringify({ ...kind, clientConnection, leaderElection: { leaderElect: false } }));
  const [port = 0] = await freePorts(1);
  return [`--config=${config}`, `--secure-port=${port}`, '--bind-address=127.0.0.1'];
}

async function schedulers(kube: RunningKube): Promise<readonly (readonly [string, Start])[]> {
  const flags = await unhurriedScheduler(kube);
  const logPath = join(kube.folder, 'scheduler.log');
  return [
    [OURS, () => new Daemon(process.execPath, [join('dist', 'keelson.js'), 'scheduler', ...flags], { logPath })],
    [THEIRS, () => new Daemon(findPeer(THEIRS).path ?? '', flags, { logPath })],
  ];
}

interface Bench {
  readonly kube: RunningKube;
  readonly client: Client;
  readonly cluster: KubeCluster;
  readonly start: Start;
}

async function measure({ kube, client, cluster, start }: Bench, workload: Workload): Promise<Figures> {
  const { pod, before, waiting, count } = workload;
  await cluster.prepare(before);
  if (waiting !== undefined) await cluster.makePods('waiting', waiting, waiting.count);
  await cluster.makePods('pod', { ...pod, labels: { ...pod.labels, measured: 'true' } }, count);
  const stopChurn = new AbortController();
  await using daemon = start();
  let mostMb = 0;
  const look = setInterval(() => (mostMb = Math.max(mostMb, rssMbOf(daemon.pid))), LOOK_MS);
  const churning = workload.hasChurn === true ? cluster.churn(stopChurn.signal) : undefined;
  try {
    const serverCpuMs = (): number => kube.daemons.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0);
    const all = await watchUntilAll(client, { daemon, workload, serverCpuMs });
    const counted = count - all.firstCount;
    return {
      podsPerSecond: (counted / all.ms) * 1000,
      cpuMsPerPod: all.cpuMs / counted,
      serverCpuMsPerPod: all.serverCpuMs / counted,
      mostMb,
    };
  } finally {
    clearInterval(look);
    stopChurn.abort();
    await churning;
  }
}

interface Span {
  readonly ms: number;
  readonly cpuMs: number;
  readonly serverCpuMs: number;
  /** Pods that were done when the span began. */
  readonly firstCount: number;
}

interface Watched {
  readonly daemon: Daemon;
  readonly workload: Workload;
  serverCpuMs(): number;
}

/** Waits until all pods have a node, or the answer that there is none; the clock starts with the first answer. */
async function watchUntilAll(client: Client, { daemon, workload, serverCpuMs }: Watched): Promise<Span> {
  const pods = client.core.v1.pods.namespace('default');
  const started = performance.now();
  const done = new Set<string>();
  const now = (): Omit<Span, 'firstCount'> => ({
    ms: performance.now(),
    cpuMs: cpuMsOf(daemon.pid),
    serverCpuMs: serverCpuMs(),
  });
  let first: Span | undefined;
  while (performance.now() - started < PATIENCE_MS && daemon.failure === undefined) {
    // a watch may end at any time, and the next one begins with what is there
    for await (const event of pods.watch({ labelSelector: MEASURED })) {
      if (event.type === 'BOOKMARK') continue;
      const answer = answerOf(event.object);
      if (answer === undefined) continue;
      first ??= { ...now(), firstCount: done.size };
      if (answer !== 'bound' && workload.isUnschedulable !== true) continue;
      done.add(event.object.metadata.uid);
      if (done.size < workload.count) continue;
      const { ms, cpuMs, serverCpuMs: server } = now();
      return {
        ms: ms - first.ms,
        cpuMs: cpuMs - first.cpuMs,
        serverCpuMs: server - first.serverCpuMs,
        firstCount: first.firstCount,
      };
    }
  }
  throw new Error(`Cannot measure "${daemon.name}": ${daemon.failure ?? 'it takes too long'}`);
}

function answerOf({ spec, status }: Observed<Pod>): 'bound' | 'unschedulable' | undefined {
  if (spec?.nodeName !== undefined) return 'bound';
  return status?.conditions?.some(({ type }) => type === 'PodScheduled') === true ? 'unschedulable' : undefined;
}
