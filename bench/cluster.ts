// npm run bench:cluster [-- --only NAME[,NAME] --rounds N --scale X --json FILE --flag FLAG --peer-large]: the whole cluster, cold, warm,
// with ten thousand pods and five thousand nodes, in turns with real control planes on kwok's nodes. Writes
// docs/reference/benchmarks-cluster.md when all parts were measured; --out names another file.
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { machine, Report } from './api/report.ts';
import { chosenParts } from './chosen-parts.ts';
import {
  type ControlPlane,
  OURS,
  PEER,
  type PlaneKind,
  startControlPlane,
  whyNoPeer,
} from './cluster/control-plane.ts';
import type { ClusterBench } from './cluster/part.ts';
import { deployments, large, nodes, pods } from './cluster/pod-parts.ts';
import { cold, warm } from './cluster/start-parts.ts';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '2' },
    scale: { type: 'string', default: '1' },
    json: { type: 'string' },
    // Given to `keelson up`, as often as wanted: --flag=--workers=2
    flag: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
    // 30,000 pods of the peer as well, which takes several minutes.
    'peer-large': { type: 'boolean', default: false },
  },
});
const parts = chosenParts([cold, warm(), pods, deployments, nodes, large(flags['peer-large'])], flags.only);
const missing = whyNoPeer();
if (missing !== undefined) console.log(`bench:cluster: ours alone, ${missing}`);
const kinds: readonly PlaneKind[] = missing === undefined ? [OURS, PEER] : [OURS];
const possible = parts.filter(({ name, whyNot }) => {
  const reason = whyNot?.();
  if (reason !== undefined) console.log(`bench:cluster: without "${name}", ${reason}`);
  return reason === undefined;
});
const report = new Report();
const scale = Number(flags.scale);
for (let round = 0; round < Number(flags.rounds); round++)
  for (const part of possible)
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
      if (!part.of.includes(kind) || round >= (part.maxRounds ?? Infinity)) continue;
      try {
        const add: ClusterBench['add'] = (measure, value) =>
          report.add(kind, { ...measure, better: 'lower', part: part.title }, value);
        const start = (nodeCount: number): Promise<ControlPlane> =>
          startControlPlane(kind, { nodes: nodeCount, flags: flags.flag });
        await part.measure({ scale, startControlPlane: start, add });
      } catch (error) {
        report.addFailure(kind, part.name, error);
      }
    }
const tables = report.markdown(OURS, missing === undefined ? PEER : undefined);
console.log(tables);
if (flags.json !== undefined) await writeFile(flags.json, report.json());
const out = flags.out ?? (flags.only === undefined ? 'docs/reference/benchmarks-cluster.md' : undefined);
if (out !== undefined) await writeFile(out, page(tables));
process.exitCode = report.hasFailed ? 1 : 0;

function page(results: string): string {
  return `# Benchmarks of the whole cluster

Made by \`npm run bench:cluster\` on ${machine()}: median and range of ${flags.rounds} rounds, both in turns. Ours is \`keelson up\` on the durable store with its own nodes. The peer is etcd 3.7,
kube-apiserver, kube-controller-manager and kube-scheduler 1.36.3 (5,000 requests a second each), and nodes by kwok 0.8 with its fast stages; its memory and processor time are those of all five processes.
[Notes](benchmark-notes.md) say where the time goes.

${results}
`;
}
