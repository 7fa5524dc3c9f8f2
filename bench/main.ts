// npm run bench [-- --only NAME[,NAME] --rounds N --scale X --json FILE --flag FLAG]: our API server and a real kube-apiserver + etcd
// (`npm run peers`) in turns. Writes docs/reference/benchmarks.md when all parts were measured; --out names another file.
import { spawnSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whyNoKube } from '../peers/index.ts';
import { clientGo, informers, mixed } from './api/client-go-parts.ts';
import { fullStart, idle } from './api/memory-parts.ts';
import type { Part, Tool } from './api/part.ts';
import { machine, Report } from './api/report.ts';
import { create, get, list, patch } from './api/request-parts.ts';
import { runParts } from './api/run-parts.ts';
import { memory, start } from './api/server-parts.ts';
import { OURS, PEER, type ServerKind } from './api/server-under-test.ts';
import { chosenParts } from './chosen-parts.ts';
import { runCounts } from './work/run-counts.ts';

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    json: { type: 'string' },
    // Given to our server, as often as wanted: --flag=--workers=2
    flag: { type: 'string', multiple: true, default: [] },
    out: { type: 'string' },
  },
});
const folder = join(tmpdir(), `keelson-bench-full-${process.pid}`);
const parts = chosenParts(
  [start, create, get, patch, list, clientGo, informers, mixed, memory, idle, fullStart(folder)],
  flags.only,
);
const missing = whyNoKube();
if (missing !== undefined) console.log(`bench: ours alone, ${missing}`);
const kinds: readonly ServerKind[] = missing === undefined ? [OURS, PEER] : [OURS];
const report = new Report();
try {
  const possible = withTools(parts);
  for (let round = 0; round < Number(flags.rounds); round++)
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed())
      await runParts(kind, possible, { report, scale: Number(flags.scale), flags: flags.flag });
} finally {
  await rm(folder, { recursive: true, force: true });
}
const tables = report.markdown(OURS, missing === undefined ? PEER : undefined);
console.log(tables);
if (flags.json !== undefined) await writeFile(flags.json, report.json());
const out = flags.out ?? (flags.only === undefined ? 'docs/reference/benchmarks.md' : undefined);
if (out !== undefined) await writeFile(out, page(tables, runCounts()));
process.exitCode = report.hasFailed ? 1 : 0;

/** The parts whose programs are here; the others are named with the reason. */
function withTools(wanted: readonly Part[]): readonly Part[] {
  const reasons = new Map<Tool, string | undefined>();
  return wanted.filter(({ name, needs }) => {
    if (needs === undefined) return true;
    if (!reasons.has(needs)) reasons.set(needs, whyNoTool(needs));
    const reason = reasons.get(needs);
    if (reason !== undefined) console.log(`bench: without "${name}", ${reason}`);
    return reason === undefined;
  });
}

function whyNoTool(tool: Tool): string | undefined {
  if (tool === 'h2load') {
    const isThere = spawnSync('h2load', ['--version'], { stdio: 'ignore' }).error === undefined;
    return isThere ? undefined : '"h2load" is not on this machine (Debian: nghttp2-client)';
  }
  const build = ['scripts/run.mjs', 'peers/build-peers.ts', 'client-go-load'];
  const { status, stderr } = spawnSync(process.execPath, build, { encoding: 'utf8' });
  return status === 0 ? undefined : stderr.trim();
}

function page(results: string, counts: Readonly<Record<string, number>>): string {
  const work = Object.entries(counts).map(([name, count]) => `| ${name} | ${count.toLocaleString('en')} |`);
  return `# Benchmarks

Made by \`npm run bench\` on ${machine()}; the load generators (h2load, and a Go program on client-go 0.36) share the cores. Peer: kube-apiserver 1.36.3 with etcd 3.7.
Both servers take turns in one run; the figure is the median, the range is all rounds. Where two figures stand in a cell, the first is ours. Only the ratios carry over to other machines.
[What they mean](benchmark-notes.md), and where the time goes, is on its own page. [The whole cluster](benchmarks-cluster.md) is on another.

${results}

## Counts of work

These do not depend on the speed of the machine; \`npm test\` holds them against bench/work/budget.json.

| what | count |
|---|---|
${work.join('\n')}
`;
}
