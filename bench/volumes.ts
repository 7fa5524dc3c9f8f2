// npm run bench:volumes [-- --pods 5 --volumes 20 --rounds N]: pods with many volumes on a real node, with our agent and with the real kubelet
// in turns. Writes docs/reference/benchmarks-volumes.md when both were measured.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type AgentName, defaultNetwork, runInNamespaces, whyNoRealNode } from '../test/real-node/index.ts';
import { machine, Report } from './api/report.ts';
import { addTold } from './node/figures-file.ts';

const LIMIT_MS = 12 * 60_000;
const OURS = 'keelson kubelet';
const THEIRS = 'kubelet';
const AGENTS: readonly { readonly name: AgentName; readonly title: string }[] = [
  { name: 'keelson', title: OURS },
  { name: 'kubelet', title: THEIRS },
];
const MAX = 100;
const { values: flags } = parseArgs({
  options: {
    pods: { type: 'string', default: '5' },
    volumes: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '1' },
  },
});
process.exitCode = await main();

async function main(): Promise<number> {
  const isCount = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number(text) <= MAX;
  if (![flags.pods, flags.volumes, flags.rounds].every(isCount)) {
    console.error(`--pods, --volumes and --rounds take numbers from 1 to ${MAX}`);
    return 2;
  }
  const possible = AGENTS.filter(({ name, title }) => {
    const reason = whyNoRealNode(name, defaultNetwork('kubelet'));
    if (reason !== undefined) console.log(`bench:volumes: without ${title}, ${reason}`);
    return reason === undefined;
  });
  const report = new Report();
  const loads: string[] = [];
  for (let round = 0; round < Number(flags.rounds); round++)
    for (const agent of round % 2 === 0 ? possible : possible.toReversed()) {
      const before = load();
      await measure(agent, report);
      loads.push(`${agent.title} ${before} before and ${load()} after`);
    }
  if (possible.length === 0) return 0;
  const tables = report.markdown(OURS, THEIRS);
  console.log(`load of the machine: ${loads.join(', ')}`);
  console.log(tables);
  if (possible.length === AGENTS.length && !report.hasFailed)
    await writeFile('docs/reference/benchmarks-volumes.md', page(tables, loads));
  return report.hasFailed ? 1 : 0;
}

/** Starts a node in namespaces of its own, which end with it, and reads what was measured there. */
async function measure({ name, title }: (typeof AGENTS)[number], report: Report): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-volumes-'));
  const figures = join(folder, 'figures');
  try {
    await writeFile(figures, '');
    const program = [process.execPath, 'scripts/run.mjs', 'bench/node/measured-volumes.ts'];
    const given = ['--agent', name, '--pods', flags.pods, '--volumes', flags.volumes, '--figures', figures];
    const logs = resolve('.keelson', 'bench-volumes-logs', name);
    const code = await runInNamespaces({
      limitMs: LIMIT_MS,
      print: console.error,
      command: [...program, ...given],
      logs,
    });
    addTold(report, figures, title);
    if (code !== 0) report.addFailure(title, 'the run', `it ended with ${code}; its logs are in "${logs}"`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many processes wanted a processor in the last minute. */
function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

function page(results: string, loads: readonly string[]): string {
  return `# Benchmarks of volumes

Made by \`npm run bench:volumes\` on ${machine()}: ${flags.rounds} round, both agents in turns. Load of the machine, with that of the run: ${loads.join(', ')}. Each agent gets namespaces, a containerd 2.4 and \`keelson up --nodes 0\`
of its own, see [the rig](../../test/real-node/README.md). The peer is the kubelet of Kubernetes 1.36.3. ${flags.pods} pods at once have ${flags.volumes} volumes each and one container that waits; they name their node, and are started three times.
Claims are bound before. Their driver is written with [the kit](../guides/storage-drivers.md), runs in the process that measures, and binds folders, once to stage and once to publish. Times are counted from the moment when a request is
sent until a watch shows the state.

${results}
`;
}
