// npm run bench [-- --peer-bin DIR] [--rounds N]: our server and, given its binaries, a real kube-apiserver + etcd, alternately.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { fanOut } from './api/fan-out.ts';
import { freePort } from './api/free-port.ts';
import { startKeelson } from './api/keelson-server.ts';
import { startKube } from './api/kube-server.ts';
import { load } from './api/load.ts';
import { Report } from './api/report.ts';
import type { ServerUnderTest } from './api/server.ts';

const { values: flags } = parseArgs({
  options: {
    'peer-bin': { type: 'string' },
    rounds: { type: 'string', default: '3' },
    scale: { type: 'string', default: '1' },
    out: { type: 'string', default: 'docs/reference/benchmarks.md' },
  },
});
for (const tool of ['h2load', 'kubectl']) {
  if (spawnSync(tool, ['--help'], { stdio: 'ignore' }).error !== undefined) {
    console.log(`bench: skipped, "${tool}" is not on this machine`);
    process.exit(0);
  }
}
const peer = flags['peer-bin'];
const scale = Number(flags.scale);
const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
const report = new Report();
const body = join(folder, 'configmap.json');
await writeFile(
  body,
  JSON.stringify({ metadata: { generateName: 'load-', labels: { app: 'load' } }, data: { text: 'x'.repeat(600) } }),
);
const patch = join(folder, 'patch.json');
await writeFile(patch, JSON.stringify({ metadata: { labels: { touched: 'yes' } } }));
try {
  for (let round = 0; round < Number(flags.rounds); round++) {
    await measure(await startKeelson(join(folder, `keelson-${round}`), await freePort()));
    await measureFullStart(join(folder, `full-${round}`));
    if (peer !== undefined) await measure(await startKube(peer, join(folder, `kube-${round}`), await freePort()));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
const table = report.markdown('keelson', peer === undefined ? undefined : 'kube-apiserver + etcd');
console.log(table);
await writeFile(flags.out, page(table));

/** A start with 100,000 objects in the store, ours only. */
async function measureFullStart(place: string): Promise<void> {
  const count = Math.round(100_000 * Math.min(1, scale));
  const first = await startKeelson(place, await freePort());
  const url = `${first.url}/api/v1/namespaces/default/configmaps`;
  await load({ url, requests: count, connections: 1, streams: 64, bodyFile: body, contentType: 'application/json' });
  await first.stop();
  const second = await startKeelson(place, await freePort());
  const name = `start with ${count.toLocaleString('en')} objects`;
  report.add('keelson', { name, unit: 'ms', better: 'lower' }, second.startMs);
  report.add('keelson', { name: `${name}, memory`, unit: 'MB', better: 'lower' }, second.rssMb());
  await second.stop();
}

async function measure(server: ServerUnderTest): Promise<void> {
  const { name, url } = server;
  const objects = `${url}/api/v1/namespaces/default/configmaps`;
  const add = report.add.bind(report, name);
  try {
    add({ name: 'start until `kubectl get ns`', unit: 'ms', better: 'lower', aim: 10 }, server.startMs);
    await sleep(3000);
    add({ name: 'idle memory', unit: 'MB', better: 'lower', aim: 2 }, server.rssMb());
    for (const connections of [1, 16, 256]) {
      const requests = Math.round((connections === 1 ? 1500 : 6000) * scale);
      const created = await load({
        url: objects,
        requests,
        connections,
        bodyFile: body,
        contentType: 'application/json',
      });
      add(
        { name: `durable create, ${connections} connections`, unit: '1/s', better: 'higher', aim: 5 },
        created.perSecond,
      );
      add({ name: `durable create, ${connections} connections, p99`, unit: 'ms', better: 'lower' }, created.p99Ms);
    }
    for (const connections of [1, 16, 256]) {
      const requests = Math.round((connections === 1 ? 5000 : 20_000) * scale);
      const got = await load({ url: `${url}/api/v1/namespaces/default`, requests, connections });
      add({ name: `get, ${connections} connections`, unit: '1/s', better: 'higher', aim: 4 }, got.perSecond);
      add({ name: `get, ${connections} connections, p99`, unit: 'ms', better: 'lower' }, got.p99Ms);
    }
    const busy = await load({
      url: objects,
      requests: Math.round(6000 * scale),
      connections: 1,
      streams: 16,
      bodyFile: body,
      contentType: 'application/json',
    });
    add({ name: 'durable create, 1 connection × 16 streams', unit: '1/s', better: 'higher', aim: 5 }, busy.perSecond);
    const multiplexed = await load({
      url: `${url}/api/v1/namespaces/default`,
      requests: Math.round(20_000 * scale),
      connections: 1,
      streams: 16,
    });
    add({ name: 'get, 1 connection × 16 streams', unit: '1/s', better: 'higher', aim: 4 }, multiplexed.perSecond);
    for (const connections of [1, 16, 256]) {
      const requests = Math.round((connections === 1 ? 1500 : 6000) * scale);
      const patched = await load({
        url: `${url}/api/v1/namespaces/default`,
        requests,
        connections,
        method: 'PATCH',
        bodyFile: patch,
        contentType: 'application/merge-patch+json',
      });
      add(
        { name: `patch that changes nothing, ${connections} connections`, unit: '1/s', better: 'higher' },
        patched.perSecond,
      );
    }
    const listed = await load({ url: `${objects}?limit=5000`, requests: Math.round(40 * scale), connections: 2 });
    add({ name: 'list of 5,000 objects (about 5 MiB)', unit: '1/s', better: 'higher', aim: 5 }, listed.perSecond);
    const times = await fanOut(url, 1000, 10);
    add(
      { name: 'one event to 1,000 watchers', unit: 'ms', better: 'lower', aim: 3 },
      times[Math.floor(times.length / 2)] ?? 0,
    );
    add({ name: 'memory after the load', unit: 'MB', better: 'lower' }, server.rssMb());
  } finally {
    await server.stop();
  }
}

function page(results: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  return `# Benchmarks

Made by \`npm run bench -- --peer-bin DIR\` on ${machine}; the load generator (h2load, and Node for watches) shares the cores.
Both servers run alternately in one run; the figure is the median, the range is all rounds. Only the ratios carry over to other machines.
[What they mean](benchmark-notes.md), and where the time goes, is on a page of its own.

${results}
`;
}
