import { RealClock } from '../../src/base/index.ts';
import { Cluster, podFrom } from './cluster.ts';
import type { Workload } from './workloads.ts';

/** Trying all nodes without success, or finding on hundreds of them the pods that could be evicted, takes its time. */
const MAX_COSTLY_PODS = 500;
/** With churn, something else changes after this many pods. */
const CHURN_EVERY = 5;

/** What finding a node for one pod after the other takes, without an API server. */
export interface SearchFigures {
  readonly podsPerSecond: number;
  readonly podsPerCpuSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export async function measureSearch(workload: Workload, nodes: number, pods: number): Promise<SearchFigures> {
  const clock = new RealClock();
  const cluster = new Cluster(nodes, workload);
  const { pod, isUnschedulable, hasChurn = false, name } = workload;
  const isCostly = isUnschedulable === true || name === 'preemption';
  const podCount = Math.min(pods, isCostly ? MAX_COSTLY_PODS : nodes * 30);
  const made = Array.from({ length: podCount }, (_, index) => podFrom(pod, `pod-${index}`));
  const latencies = new Float64Array(podCount);
  const cpuBefore = process.cpuUsage();
  const startMs = clock.monotonic();
  for (const [index, one] of made.entries()) {
    const beginMs = clock.monotonic();
    await cluster.schedule(one);
    latencies[index] = clock.monotonic() - beginMs;
    if (hasChurn && index % CHURN_EVERY === 0) cluster.churn(index);
  }
  const tookMs = clock.monotonic() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort();
  const at = (share: number): number => latencies[Math.floor(podCount * share)] ?? 0;
  return {
    podsPerSecond: (podCount / tookMs) * 1000,
    podsPerCpuSecond: (podCount / (user + system)) * 1_000_000,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
  };
}
