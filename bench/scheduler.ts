// Measures finding nodes for pods, without an API server:
// `npm run bench:scheduler -- [--pods 10000] [--nodes 100,5000] [--only "pod affinity"]`.
import { parseArgs } from 'node:util';
import { RealClock } from '../src/base/index.ts';
import { Cluster, podFrom } from './scheduling/cluster.ts';
import { type Workload, workloads } from './scheduling/workloads.ts';

const { values: args } = parseArgs({
  options: {
    pods: { type: 'string', default: '10000' },
    nodes: { type: 'string', default: '100,5000' },
    only: { type: 'string' },
  },
});
const clock = new RealClock();
/** Trying all nodes in vain, or on hundreds of them which pods could go, takes its time. */
const MOST_COSTLY_PODS = 500;

for (const nodeCount of args.nodes.split(',').map(Number)) {
  for (const workload of workloads)
    if (args.only === undefined || args.only === workload.name) await measure(nodeCount, workload);
}

async function measure(nodeCount: number, workload: Workload): Promise<void> {
  const cluster = new Cluster(nodeCount, workload);
  const { name, pod, isUnschedulable, churnEvery } = workload;
  const isCostly = isUnschedulable === true || name === 'preemption';
  const podCount = Math.min(Number(args.pods), isCostly ? MOST_COSTLY_PODS : nodeCount * 30);
  const pods = Array.from({ length: podCount }, (_, index) => podFrom(pod, `pod-${index}`));
  const latencies = new Float64Array(podCount);
  const cpuBefore = process.cpuUsage();
  const startMs = clock.monotonic();
  for (const [index, one] of pods.entries()) {
    const beginMs = clock.monotonic();
    await cluster.schedule(one);
    latencies[index] = clock.monotonic() - beginMs;
    if (churnEvery !== undefined && index % churnEvery === 0) cluster.churn(index);
  }
  const tookMs = clock.monotonic() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort();
  const at = (share: number): string => (latencies[Math.floor(podCount * share)] ?? 0).toFixed(3);
  const rate = (ms: number): string => String(Math.round((podCount / ms) * 1000)).padStart(7);
  const what = `${nodeCount} nodes, ${name}`;
  const rates = `${rate(tookMs)} pods/s ${rate((user + system) / 1000)} a second of CPU`;
  console.log(`${what.padEnd(42)}${rates}   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`);
}
