// npm run bench:cluster: the whole cluster, cold, warm and with ten thousand pods.
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Report } from './api/report.ts';
import { coldStart } from './cluster/cold-start.ts';
import { warmStart } from './cluster/warm-start.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    pods: { type: 'string', default: '10000' },
    nodes: { type: 'string', default: '100' },
    out: { type: 'string', default: 'docs/reference/benchmarks-cluster.md' },
  },
});
const OURS = 'keelson';
const WARM_UPS = 20;
const report = new Report();
const add = (name: string, unit: string, value: number): void =>
  report.add(OURS, { name, unit, better: 'lower' }, value);

const hasKubectl = spawnSync('kubectl', ['version', '--client'], { stdio: 'ignore' }).status === 0;
if (!hasKubectl) console.log('bench:cluster: no cold start, "kubectl" is not on this machine');
for (let round = 0; hasKubectl && round < Number(flags.rounds); round++) {
  const { readyMs, idleMb, idleCpu } = await coldStart();
  add('cold `keelson up` until `kubectl get nodes` says Ready', 'ms', readyMs);
  add('idle memory', 'MB', idleMb);
  add('idle processor time, share of a core', '%', idleCpu * 100);
}
for (let round = 0; round < WARM_UPS; round++) await warmStart(); // the first ones load and compile
for (let round = 0; round < Number(flags.rounds); round++) {
  const { startMs, forkMs } = await warmStart();
  add('`startCluster()`, warm', 'ms', startMs);
  add('`fork()` with 1,000 objects', 'ms', forkMs);
}
for (let round = 0; round < 2; round++) {
  const { seconds, rssMb, revision } = manyPods();
  const what = `Deployment of ${Number(flags.pods).toLocaleString('en')} pods on ${flags.nodes} nodes`;
  add(`${what} until all are ready`, 's', seconds);
  add(`${what}: memory`, 'MB', rssMb);
  add(`${what}: writes per pod`, '', revision / Number(flags.pods));
}
const table = report.markdown(OURS, undefined);
console.log(table);
await writeFile(flags.out, page(table));

function manyPods(): { readonly seconds: number; readonly rssMb: number; readonly revision: number } {
  const program = join(import.meta.dirname, 'cluster', 'many-pods.ts');
  const args = [join('scripts', 'run.mjs'), program, `--pods=${flags.pods}`, `--nodes=${flags.nodes}`];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot run many pods: ${stderr}`);
  return JSON.parse(stdout) as ReturnType<typeof manyPods>;
}

function page(results: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  return `# Benchmarks of the whole cluster

Made by \`npm run bench:cluster\` on ${machine}: median and range of all rounds. [Notes](benchmark-notes.md) say where the time goes.

${results}
`;
}
