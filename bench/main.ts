// npm run bench [-- --rounds N --scale X]: our API server and a real kube-apiserver + etcd (`npm run peers`), alternately.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whyNoKube } from '../peers/index.ts';
import { load } from './api/load.ts';
import { measure } from './api/measure.ts';
import { Report } from './api/report.ts';
import { OURS, PEER, type ServerUnderTest, startOurs, startPeer } from './api/server-under-test.ts';
import { runCounts } from './work/run-counts.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string', default: 'docs/reference/benchmarks.md' },
  },
});
if (spawnSync('h2load', ['--version'], { stdio: 'ignore' }).error !== undefined) {
  console.log('bench: skipped, "h2load" is not on this machine (Debian: nghttp2-client)');
  process.exit(0);
}
const missing = whyNoKube();
if (missing !== undefined) console.log(`bench: ours alone, ${missing}`);
const scale = Number(flags.scale);
const report = new Report();
for (let round = 0; round < Number(flags.rounds); round++) {
  await measureFresh(startOurs());
  if (missing === undefined) await measureFresh(startPeer());
}
await measureFullStart();
const table = report.markdown(OURS, missing === undefined ? PEER : undefined);
console.log(table);
await writeFile(flags.out, page(table, runCounts()));

async function measureFresh(starting: Promise<ServerUnderTest>): Promise<void> {
  await using server = await starting;
  await measure(server, report, scale);
}

/** A start with 100,000 objects in the store, ours only. */
async function measureFullStart(): Promise<void> {
  const count = Math.round(100_000 * Math.min(1, scale));
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
  const bodyFile = join(folder, 'body.json');
  await writeFile(bodyFile, JSON.stringify({ metadata: { generateName: 'load-' }, data: { text: 'x'.repeat(600) } }));
  try {
    {
      await using first = await startOurs(join(folder, 'server'));
      const url = `${first.url}/api/v1/namespaces/default/configmaps`;
      await load({ url, requests: count, connections: 1, streams: 64, bodyFile, contentType: 'application/json' });
    }
    await using second = await startOurs(join(folder, 'server'));
    const name = `start with ${count.toLocaleString('en')} objects`;
    report.add(OURS, { name, unit: 'ms', better: 'lower' }, second.startMs);
    report.add(OURS, { name: `${name}: memory`, unit: 'MB', better: 'lower' }, second.rssMb());
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function page(results: string, counts: Readonly<Record<string, number>>): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const work = Object.entries(counts).map(([name, count]) => `| ${name} | ${count.toLocaleString('en')} |`);
  return `# Benchmarks

Made by \`npm run bench\` on ${machine}; the load generator (h2load, and Node for watches) shares the cores. Peer: kube-apiserver 1.36.3 with etcd 3.7.
Both servers run alternately in one run; the figure is the median, the range is all rounds. Only the ratios carry over to other machines.
[What they mean](benchmark-notes.md), and where the time goes, is on a page of its own. [The whole cluster](benchmarks-cluster.md) is on another.

${results}

## Counts of work

These do not depend on the speed of the machine; \`npm test\` holds them against bench/work/budget.json.

| what | count |
|---|---|
${work.join('\n')}
`;
}
