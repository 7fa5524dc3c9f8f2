// npm run bench:node [-- --pods 1,20,100 --agents keelson,kubelet --rounds N --scale X --runtime containerd|simulated --profile DIR --without-up --json FILE --out FILE]: a real node measured
// through the API, with our agent and with the real kubelet in turns, each with a containerd of its own. Writes
// docs/reference/benchmarks-node.md when everything was measured; --out names another file.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeer } from '../peers/index.ts';
import {
  type AgentName,
  defaultNetwork,
  nodeAgents,
  runInNamespaces,
  whyNoNamespaces,
  whyNoRealNode,
} from '../test/real-node/index.ts';
import { machine, Report } from './api/report.ts';
import { chosenParts } from './chosen-parts.ts';
import { addTold } from './node/figures-file.ts';

const PODS = [1, 20, 100];
const MAX_PODS = 200;
/** Of one agent in one round; it takes four or five minutes. */
const LIMIT_MS = 15 * 60_000;
const OURS = 'keelson kubelet';
const THEIRS = 'kubelet';
const AGENTS: readonly { readonly name: AgentName; readonly title: string }[] = [
  { name: 'keelson', title: OURS },
  { name: 'kubelet', title: THEIRS },
];

const { values: flags } = parseArgs({
  options: {
    pods: { type: 'string' },
    agents: { type: 'string' },
    rounds: { type: 'string', default: '1' },
    // A share of the pods (without --pods), seconds and bytes, to try it.
    scale: { type: 'string', default: '1' },
    // On `keelson cri` nothing but the agent works, and containerd is not needed.
    runtime: { type: 'string', default: 'containerd' },
    // Gets a processor profile of our agent from each round.
    profile: { type: 'string' },
    // Leaves out the memory of `keelson up` with a real node.
    'without-up': { type: 'boolean', default: false },
    json: { type: 'string' },
    out: { type: 'string' },
  },
});
const [rounds, scale] = [Number(flags.rounds), Number(flags.scale)];
const pods = flags.pods?.split(',').map(Number) ?? [...new Set(PODS.map((count) => Math.ceil(count * scale)))];
const hasUp = flags.runtime === 'containerd' && !flags['without-up'];
const isWhole = flags.pods === undefined && flags.agents === undefined && hasUp && scale === 1;
process.exitCode = await main();

async function main(): Promise<number> {
  if (flags.runtime !== 'containerd' && flags.runtime !== 'simulated') {
    console.error('--runtime takes containerd or simulated');
    return 2;
  }
  const isCount = (count: number): boolean => Number.isInteger(count) && count >= 1 && count <= MAX_PODS;
  if (!pods.every(isCount) || !(scale > 0 && scale <= 1) || !isCount(rounds)) {
    console.error(`--pods takes numbers from 1 to ${MAX_PODS}, --scale a share of 1, --rounds a number`);
    return 2;
  }
  const kubectl = findPeer('kubectl');
  const possible = chosenParts(AGENTS, flags.agents).filter(({ name, title }) => {
    const peers = flags.runtime === 'simulated' ? nodeAgents[name].peers.map((peer) => findPeer(peer).reason) : [];
    const reason =
      flags.runtime === 'simulated'
        ? (peers.find((each) => each !== undefined) ?? whyNoNamespaces())
        : (whyNoRealNode(name, defaultNetwork('kubelet')) ?? kubectl.reason);
    if (reason !== undefined) console.log(`bench:node: without ${title}, ${reason}`);
    return reason === undefined;
  });
  if (possible.length === 0) return 0;
  const loads: string[] = [];
  const report = new Report();
  for (let round = 0; round < rounds; round++)
    for (const agent of round % 2 === 0 ? possible : possible.toReversed()) {
      const before = load();
      await measure(agent, report);
      loads.push(`${agent.title} ${before} before and ${load()} after`);
      if (agent.title === OURS && round === 0 && hasUp) await measureUp(report);
    }
  const tables = report.markdown(OURS, THEIRS);
  console.log(`load of the machine: ${loads.join(', ')}`);
  console.log(tables);
  if (flags.json !== undefined) await writeFile(flags.json, report.json());
  const out =
    flags.out ?? (isWhole && possible.length === AGENTS.length ? 'docs/reference/benchmarks-node.md' : undefined);
  if (out !== undefined) await writeFile(out, page(tables, loads));
  return report.hasFailed ? 1 : 0;
}

async function measure({ name, title }: (typeof AGENTS)[number], report: Report): Promise<void> {
  const profile = flags.profile === undefined ? [] : ['--profile', resolve(flags.profile)];
  const own = ['--agent', name, '--pods', pods.join(','), '--runtime', flags.runtime, ...profile];
  await runMeasured(report, { title, program: 'bench/node/measured-node.ts', flags: own, logs: name });
}

/** Memory of the whole cluster in one process, with a real node and with a simulated one. */
async function measureUp(report: Report): Promise<void> {
  const own = ['--pods', String(Math.max(...pods))];
  await runMeasured(report, { title: OURS, program: 'bench/node/measured-up.ts', flags: own, logs: 'up' });
}

interface Measured {
  readonly title: string;
  readonly program: string;
  readonly flags: readonly string[];
  /** Name of the folder of its logs. */
  readonly logs: string;
}

/** Starts a program in namespaces of its own, which end with it, and reads what it has measured there. */
async function runMeasured(report: Report, { title, program, flags: own, logs }: Measured): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-node-'));
  const figures = join(folder, 'figures');
  try {
    await writeFile(figures, '');
    const given = ['--scale', String(scale), '--figures', figures];
    const code = await runInNamespaces({
      limitMs: LIMIT_MS,
      print: console.error,
      command: [process.execPath, 'scripts/run.mjs', program, ...own, ...given],
      logs: resolve('.keelson', 'bench-node-logs', logs),
    });
    addTold(report, figures, title);
    if (code !== 0)
      report.addFailure(title, 'the run', `it ended with ${code}; its logs are in .keelson/bench-node-logs`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** How many processes wanted a processor in the last minute. */
function load(): string {
  return (loadavg()[0] ?? 0).toFixed(1);
}

function page(results: string, loads: readonly string[]): string {
  const counted = rounds === 1 ? 'one round' : `median and range of ${rounds} rounds`;
  const chosen = [flags.pods && ` --pods ${flags.pods}`, scale < 1 && ` --scale ${scale}`].filter(Boolean).join('');
  return `# Benchmarks of a node

Made by \`npm run bench:node${chosen === '' ? '' : ` --${chosen}`}\` on ${machine()}: ${counted}, both agents in turns. Load of the machine, with that of the run: ${loads.join(', ')}. Each agent gets namespaces, a containerd 2.4 and \`keelson up --nodes 0\` of its own, see [the rig](../../test/real-node/README.md), with the same
configuration. The peer is the kubelet of Kubernetes 1.36.3. Everything shares the processors: the agent, containerd and its shims, the API server, kube-proxy, CoreDNS and the program that measures.

Pods have one container that waits, of an image that is on the node, a token of their service account, and name their node, so that no scheduler is measured. Times are counted from the moment when
a request is sent until a watch shows the state; a few pods at once are started several times. Memory and processor time are those of the agent with the processes that it starts, over ${Math.max(2, 30 * scale)} seconds, and
the runtime's time beside them, since an agent that asks more makes it work more. Deletion counts until three seconds after the last pod is gone, because agents remove folders and cgroups after that; a kubelet removes sandboxes once a minute, so that part of its share, and of the runtime's, is missing. The rows of \`keelson up\` are of everything in one process, once with a real node and once with its simulated one. Commands, logs and ports are those of kubectl, with its own start, which \`kubectl get\` shows; transfers are the middle of three. \`kubectl get\` asks only the API server, the same
in both turns: where its ratio is far from 1, other work disturbed one of them, and times cannot be compared. The ratio says how many times better ours is; below 1 the kubelet is.

${results}
`;
}
