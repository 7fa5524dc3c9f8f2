// npm run bench:definitions [-- --rounds N --count N --peer-count N]: what definitions cost, and custom objects beside ConfigMaps.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { whyNoKube } from '../peers/index.ts';
import { load } from './api/load.ts';
import { Report } from './api/report.ts';
import { OURS, PEER, type ServerUnderTest, startOurs, startPeer } from './api/server-under-test.ts';
import { AdminClient } from './definitions/admin-client.ts';
import { cacheDefinition, comparedKinds, madeDefinition } from './definitions/made-definition.ts';

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    count: { type: 'string', default: '1000' },
    'peer-count': { type: 'string', default: '100' },
    out: { type: 'string', default: 'docs/reference/benchmarks-definitions.md' },
  },
});
const COLLECTION = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const LISTED = 1000;
const LAST = 100;

if (spawnSync('h2load', ['--version'], { stdio: 'ignore' }).error !== undefined) {
  console.log('bench:definitions: skipped, "h2load" is not on this machine (Debian: nghttp2-client)');
  process.exit(0);
}
const missing = whyNoKube();
if (missing !== undefined) console.log(`bench:definitions: ours alone, ${missing}`);
const report = new Report();
const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-'));
try {
  await measure(startOurs(), Number(flags.count));
  if (missing === undefined) await measure(startPeer(), Number(flags['peer-count']));
} finally {
  await rm(folder, { recursive: true, force: true });
}
const table = report.markdown(OURS, missing === undefined ? PEER : undefined);
console.log(table);
await writeFile(flags.out, page(table));

async function measure(starting: Promise<ServerUnderTest>, count: number): Promise<void> {
  await using server = await starting;
  using client = new AdminClient(server.url);
  await install(server, client, count);
  await createToServed(client, cacheDefinition, '/apis/bench.example.com/v1/caches');
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const kind of comparedKinds) await compareKind(server, client, { ...kind, round });
  }
}

/** Creates definitions one after the other and takes the time until each is served. */
async function install(server: ServerUnderTest, client: AdminClient, count: number): Promise<void> {
  const { name } = server;
  const times: number[] = [];
  const warmUp = Math.floor(count / 10); // the first ones also warm up code and heap
  let before = 0;
  for (let index = 0; index < count; index += 1) {
    if (index === warmUp) before = await restedMb(server);
    const { object, listPath } = madeDefinition(index);
    times.push(await createToServed(client, object, listPath));
  }
  const last = times.slice(-LAST).sort((a, b) => a - b);
  const served = 'from created to served, the last 100';
  report.add(name, { name: `${served}: median`, unit: 'ms', better: 'lower' }, last[Math.floor(last.length / 2)] ?? 0);
  report.add(name, { name: `${served}: p99`, unit: 'ms', better: 'lower' }, last.at(-1) ?? 0);
  const perDefinition = (((await restedMb(server)) - before) * 1024) / (count - warmUp);
  report.add(name, { name: 'memory per further definition', unit: 'KB', better: 'lower' }, perDefinition);
  report.add(name, { name: 'memory with all definitions', unit: 'MB', better: 'lower' }, server.rssMb());
  for (const path of ['/apis', '/openapi/v3', '/openapi/v2']) {
    const start = performance.now();
    await client.send('GET', path);
    report.add(name, { name: `first GET ${path}`, unit: 'ms', better: 'lower' }, performance.now() - start);
  }
  report.add(name, { name: 'memory after that', unit: 'MB', better: 'lower' }, server.rssMb());
}

async function restedMb(server: ServerUnderTest): Promise<number> {
  await sleep(3000);
  return server.rssMb();
}

async function createToServed(client: AdminClient, definition: object, listPath: string): Promise<number> {
  const start = performance.now();
  const code = await client.send('POST', COLLECTION, definition);
  if (code !== 201) throw new Error(`The definition of ${listPath} was answered with ${code}`);
  while ((await client.send('GET', listPath)) !== 200);
  return performance.now() - start;
}

type Compared = (typeof comparedKinds)[number] & { readonly round: number };

async function compareKind(server: ServerUnderTest, client: AdminClient, kind: Compared): Promise<void> {
  const { collection, object } = kind;
  const name = `read-${kind.round}`;
  await client.send('POST', collection, { ...object, metadata: { ...object.metadata, name } });
  const bodyFile = join(folder, 'body.json');
  await writeFile(bodyFile, JSON.stringify({ ...object, metadata: { ...object.metadata, generateName: 'load-' } }));
  const url = `${server.url}${collection}`;
  const contentType = 'application/json';
  await timed(server, `create, ${kind.name}`, { url, bodyFile, contentType, requests: 4000 });
  await timed(server, `get, ${kind.name}`, { url: `${url}/${name}`, requests: 20_000 });
  await timed(server, `list of ${LISTED.toLocaleString('en')}, ${kind.name}`, {
    url: `${url}?limit=${LISTED}`,
    requests: 150,
  });
}

async function timed(
  server: ServerUnderTest,
  what: string,
  options: {
    readonly url: string;
    readonly requests: number;
    readonly bodyFile?: string;
    readonly contentType?: string;
  },
): Promise<void> {
  const before = server.cpuMs();
  const { perSecond } = await load({ ...options, connections: 1, streams: 16 });
  const cpuUs = ((server.cpuMs() - before) * 1000) / options.requests;
  report.add(server.name, { name: what, unit: '1/s', better: 'higher' }, perSecond);
  report.add(server.name, { name: `${what}: CPU per request`, unit: 'µs', better: 'lower' }, cpuUs);
}

function page(results: string): string {
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'CPU'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`;
  const bytes = JSON.stringify(madeDefinition(0).object).length.toLocaleString('en');
  return `# Benchmarks of definitions

Made by \`npm run bench:definitions\` on ${machine}; the load generator shares the cores. Peer: kube-apiserver 1.36.3 with etcd 3.7.
Ours has ${flags.count} definitions of ${bytes} bytes each installed, the peer ${flags['peer-count']} of them. Custom objects and ConfigMaps of about the same size are
measured alternately, on one connection with 16 streams; the figure is the median, the range is all rounds. Memory is resident memory
of all processes, per definition after the first tenth of them. Only ratios carry over to other machines.

${results}

Aims: at most 200 KB a definition, less than 400 MB with 1,000 of them, served at most 20 ms after it was created, custom objects within 20 % of built-in ones.
`;
}
