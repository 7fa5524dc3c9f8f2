// Measures finding nodes for pods, without an API server: `npm run bench:scheduler -- [--pods 10000] [--nodes 100,5000]`.
import { parseArgs } from 'node:util';
import { RealClock, SeededRandom } from '../src/base/index.ts';
import { SchedulerCache } from '../src/scheduler/cache/scheduler-cache.ts';
import { Snapshot } from '../src/scheduler/cache/snapshot.ts';
import { PodScheduler } from '../src/scheduler/cycle/schedule-pod.ts';
import { Cycle } from '../src/scheduler/framework/cycle.ts';
import { FitError } from '../src/scheduler/framework/fit-error.ts';
import { Framework } from '../src/scheduler/framework/framework.ts';
import { defaultProfile } from '../src/scheduler/framework/profile.ts';
import { builtInPlugins } from '../src/scheduler/plugins/registry.ts';
import { QueuedPod } from '../src/scheduler/queue/queued-pod.ts';
import { nodeOf, podOf, sharedContext } from '../src/scheduler/testing/objects.ts';

const { values: args } = parseArgs({
  options: { pods: { type: 'string', default: '10000' }, nodes: { type: 'string', default: '100,5000' } },
});
const clock = new RealClock();
const ZONES = 3;

type Sketch = NonNullable<Parameters<typeof podOf>[0]>;

/** What scheduler_perf of Kubernetes calls basic, node affinity, and pods that fit nowhere. */
const workloads: Readonly<Record<string, Sketch>> = {
  basic: { requests: { cpu: '100m', memory: '500Mi' } },
  'node affinity': {
    requests: { cpu: '100m', memory: '500Mi' },
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: [
            {
              matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-0', 'zone-1'] }],
            },
          ],
        },
      },
    },
  },
  unschedulable: { requests: { cpu: '100' } },
};

for (const nodeCount of args.nodes.split(',').map(Number)) {
  for (const [name, sketch] of Object.entries(workloads)) await measure(nodeCount, name, sketch);
}

async function measure(nodeCount: number, name: string, sketch: Sketch): Promise<void> {
  const framework = new Framework(defaultProfile, builtInPlugins, sharedContext({ clock }));
  const cache = new SchedulerCache();
  for (let index = 0; index < nodeCount; index++) {
    const labels = { 'topology.kubernetes.io/zone': `zone-${index % ZONES}` };
    // room for all pods, however few the nodes are
    cache.setNode(
      nodeOf({ name: `node-${index}`, labels, allocatable: { cpu: '1000', memory: '4000Gi', pods: '10000' } }),
    );
  }
  const snapshot = new Snapshot();
  const scheduler = new PodScheduler(snapshot, new SeededRandom(1));
  const podCount = name === 'unschedulable' ? Math.min(500, Number(args.pods)) : Number(args.pods);
  const large = name === 'unschedulable' ? { requests: { cpu: '100000' } } : sketch;
  const pods = Array.from({ length: podCount }, (_, index) => podOf({ ...large, name: `pod-${index}` }));
  const latencies = new Float64Array(podCount);
  const cpuBefore = process.cpuUsage();
  const startMs = clock.monotonic();
  for (let index = 0; index < podCount; index++) {
    const beginMs = clock.monotonic();
    const queued = new QueuedPod(pods[index]!, 0);
    cache.update(snapshot);
    try {
      const placement = scheduler.schedule(framework, new Cycle(queued.pod));
      cache.assume(queued.pod, (placement instanceof Promise ? await placement : placement).nodeName);
    } catch (error) {
      if (!(error instanceof FitError)) throw error;
    }
    latencies[index] = clock.monotonic() - beginMs;
  }
  const tookMs = clock.monotonic() - startMs;
  const { user, system } = process.cpuUsage(cpuBefore);
  latencies.sort();
  const at = (share: number): string => (latencies[Math.floor(podCount * share)] ?? 0).toFixed(3);
  const rate = (ms: number): string => String(Math.round((podCount / ms) * 1000)).padStart(7);
  const what = `${nodeCount} nodes, ${name}`;
  const rates = `${rate(tookMs)} pods/s ${rate((user + system) / 1000)} a second of CPU`;
  console.log(`${what.padEnd(28)}${rates}   p50 ${at(0.5)} ms   p99 ${at(0.99)} ms`);
}
