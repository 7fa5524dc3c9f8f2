// npm run bench:scheduler: finding nodes for pods, without an API server; then our scheduler and kube-scheduler, each a process
// of its own, at scheduler_perf's workloads on the same real kube-apiserver. Writes docs/reference/benchmarks-scheduler.md.
//   npm run bench:scheduler -- [--nodes 5000] [--rounds 3] [--scale 1] [--only "pod affinity,basic"] [--search-only]
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { whyNoKube } from '../peers/index.ts';
import { machine, Report } from './api/report.ts';
import { chosenParts } from './chosen-parts.ts';
import { measureBesideKube, OURS, THEIRS } from './scheduling/beside-kube.ts';
import { measureSearch } from './scheduling/search-alone.ts';
import { workloads } from './scheduling/workloads.ts';

const { values: flags } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    only: { type: 'string' },
    'search-only': { type: 'boolean', default: false },
    out: { type: 'string', default: 'docs/reference/benchmarks-scheduler.md' },
  },
});
const SEARCHED_PODS = 10_000;
const [nodes, rounds, scale] = [flags.nodes, flags.rounds, flags.scale].map(Number) as [number, number, number];
const chosen = chosenParts(workloads, flags.only);

const searches = await searchTable();
console.log(searches);
const why = whyNoKube(['kube-scheduler']);
if (why !== undefined) console.log(`bench:scheduler: without the peer, ${why}`);
if (why === undefined && !flags['search-only']) {
  const report = new Report();
  await measureBesideKube(report, { nodes, rounds, scale, workloads: chosen });
  const table = report.markdown(OURS, THEIRS);
  console.log(table);
  await writeFile(flags.out, page(table, searches));
}

async function searchTable(): Promise<string> {
  const rows: string[] = [];
  for (const workload of chosen) {
    const pods = Math.ceil(SEARCHED_PODS * scale);
    const { podsPerSecond, podsPerCpuSecond, p50Ms, p99Ms } = await measureSearch(workload, nodes, pods);
    const cells = [podsPerSecond.toFixed(0), podsPerCpuSecond.toFixed(0), p50Ms.toFixed(3), p99Ms.toFixed(3)];
    rows.push(`| ${workload.name} | ${cells.join(' | ')} |`);
  }
  return [
    '| workload | pods/s | a second of processor time | p50 ms | p99 ms |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

function page(beside: string, alone: string): string {
  const counts = chosen.map(({ name, count }) => `${name} ${Math.ceil(count * scale)}`).join(', ');
  return `# Benchmarks of the scheduler

Made by \`npm run bench:scheduler\` on ${machine()}: median and range of ${rounds} rounds of one run.

## Beside kube-scheduler

The workloads are those of Kubernetes' scheduler_perf that need no volumes and no devices, at ${nodes.toLocaleString('en')} nodes. \`${OURS}\` and ${THEIRS} 1.36 are processes of their own that take turns on the same real
kube-apiserver and etcd, with the same configuration file (all defaults, no leader election, 5,000 requests a second), and share the processors with these. Pods measured: ${counts}. The clock runs from the first
pod's answer until all pods are bound; for "unschedulable", until all have their condition. With churn, a node, a Service and a pod that fits nowhere are replaced every second. "Others unschedulable" has 200 pods waiting that fit nowhere.
The aim for the basic workload is 680 pods/s.

${beside}

## Finding a node alone

Without an API server, in one process.

${alone}
`;
}
