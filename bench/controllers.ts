// npm run bench:controllers: our controller manager and the real one, each in its own process, at the same work on the same
// kind of server: `keelson up` with its scheduler and simulated nodes, and no controllers of its own.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { controllerManagerFlags, Daemon, findPeer, type RunningServer, startKeelson } from '../peers/index.ts';
import { connect } from '../src/client/index.ts';
import { machine, Report } from './api/report.ts';
import { loads } from './controllers/loads.ts';
import { cpuMsOf, rssMbOf } from './process-use.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    // A tenth of the work, say, to try it.
    scale: { type: 'string', default: '1' },
    out: { type: 'string', default: 'docs/reference/benchmarks-controllers.md' },
  },
});
const OURS = 'keelson controller-manager';
const THEIRS = 'kube-controller-manager';
const NODES = 20;
const WARM_UP = 0.01;
/** The server does not limit requests, so that only the controllers are measured. */
const UNHURRIED = ['--kube-api-qps=100000', '--kube-api-burst=100000'];

const theirs = findPeer(THEIRS);
if (theirs.path === undefined) console.log(`bench:controllers: without the peer, ${theirs.reason}`);
const managers: [string, (server: RunningServer) => Daemon][] = [
  [OURS, (server) => start(server, process.execPath, [join('dist', 'keelson.js'), 'controller-manager'])],
];
const { path } = theirs;
if (path !== undefined) managers.push([THEIRS, (server) => start(server, path, [])]);

const report = new Report();
for (let round = 0; round < Number(flags.rounds); round++) {
  for (const [name, begin] of round % 2 === 0 ? managers : managers.toReversed()) await measure(name, begin);
}
const table = report.markdown(OURS, path === undefined ? undefined : THEIRS);
console.log(table);
await writeFile(flags.out, page(table));

async function measure(name: string, begin: (server: RunningServer) => Daemon): Promise<void> {
  await using server = await startKeelson({
    flags: [`--nodes=${NODES}`, '--controllers=clusterrole-aggregation-controller'],
  });
  await using client = await connect({ kubeconfig: server.kubeconfig });
  await using manager = begin(server);
  let mostMb = 0;
  const look = setInterval(() => (mostMb = Math.max(mostMb, rssMbOf(manager.pid))), 500);
  try {
    for (const load of loads) await load(client, WARM_UP); // it starts and compiles meanwhile
    for (const load of loads) {
      const before = cpuMsOf(manager.pid);
      const took = await load(client, Number(flags.scale));
      for (const [what, value] of Object.entries(took))
        report.add(name, { name: what, unit: 's', better: 'lower' }, value);
      const used = (cpuMsOf(manager.pid) - before) / 1000;
      report.add(name, { name: `processor time of that (${load.name})`, unit: 's', better: 'lower' }, used);
    }
  } catch (error) {
    throw new Error(`${name} did not do it: ${manager.failure ?? manager.logTail()}`, { cause: error });
  } finally {
    clearInterval(look);
  }
  report.add(name, { name: 'most memory', unit: 'MB', better: 'lower' }, mostMb);
}

function start(server: RunningServer, command: string, first: readonly string[]): Daemon {
  return new Daemon(command, [...first, ...controllerManagerFlags(server), ...UNHURRIED], {
    logPath: join(server.folder, 'controller-manager.log'),
  });
}

function page(results: string): string {
  return `# Benchmarks of the controllers

Made by \`npm run bench:controllers\` on ${machine()}: median and range of ${flags.rounds} rounds. Both controller managers are processes of their own with their default concurrency and no limit on requests, and work on \`keelson up\`
with its scheduler and ${NODES} simulated nodes, which share the processors with them.

${results}
`;
}
