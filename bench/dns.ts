// npm run bench:dns [-- --rounds N --scale X --seconds S --json FILE --out FILE]: `keelson dns` beside CoreDNS on one cluster with 10,000
// services, asked by dnsperf in turns; then what one answer costs without a network. Writes docs/reference/benchmarks-dns.md when everything was
// measured; --out names another file.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Daemon, findPeers, freePorts, startKeelson } from '../peers/index.ts';
import { type Client, connect } from '../src/client/index.ts';
import { decodeMessage, RecordType } from '../src/wire/dns/index.ts';
import { questionBytes } from '../src/network/dns/testing/dns-client.ts';
import { askUdp } from '../test/interop/dns/ask-server.ts';
import { eventually } from '../test/real-node/eventually.ts';
import { machine, Report } from './api/report.ts';
import { measureAnswers } from './dns/in-process.ts';
import { type LoadOptions, runLoad } from './dns/dnsperf.ts';
import { inTurns } from './in-turns.ts';

const OURS = 'keelson dns';
const THEIRS = 'CoreDNS';
const SERVICES = 10_000;
const HEADLESS = 500;
const ENDPOINTS = 10;
const ANSWERS = 2_000_000;

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    // A share of the services and answers, to try it.
    scale: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '10' },
    json: { type: 'string' },
    out: { type: 'string' },
  },
});
const [rounds, scale, seconds] = [Number(flags.rounds), Number(flags.scale), Number(flags.seconds)];
const services = Math.ceil(SERVICES * scale);
const headless = Math.ceil(HEADLESS * scale);
process.exitCode = await main();

interface Measured {
  readonly title: string;
  readonly pid: number;
  readonly port: number;
}

async function main(): Promise<number> {
  const peers = findPeers(['coredns']);
  if (spawnSync('dnsperf', ['-h']).error !== undefined || peers.paths === undefined) {
    console.log(`bench:dns does not run: ${peers.paths === undefined ? peers.reason : 'dnsperf is not installed'}`);
    return 0;
  }
  const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-dns-'));
  const before = load();
  const report = new Report();
  try {
    await measureServers(peers.paths.coredns, folder, report);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  for (const { question, nanoseconds } of measureAnswers(Math.ceil(ANSWERS * scale))) {
    const measure = {
      name: question,
      unit: 'ns',
      better: 'lower',
      part: 'One answer without a network, processor time',
    } as const;
    report.add(OURS, measure, nanoseconds);
  }
  const tables = report.markdown(OURS, THEIRS);
  const loads = `load of the machine: ${before} before and ${load()} after`;
  console.log(`${loads}\n${tables}`);
  if (flags.json !== undefined) await writeFile(flags.json, report.json());
  const out = flags.out ?? (scale === 1 ? 'docs/reference/benchmarks-dns.md' : undefined);
  if (out !== undefined) await writeFile(out, page(tables, loads));
  return report.hasFailed ? 1 : 0;
}

async function measureServers(coredns: string, folder: string, report: Report): Promise<void> {
  await using server = await startKeelson({ folder: join(folder, 'server'), flags: ['--nodes=0'] });
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'bench' });
  await fill(client);
  const [peerPort = 0, ownPort = 0] = await freePorts(2);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'Corefile'), corefile(peerPort, server.kubeconfig));
  await writeFile(join(folder, 'questions'), questions());
  await writeFile(join(folder, 'headless'), headlessQuestions());
  const log = (name: string) => ({ logPath: join(folder, `${name}.log`) });
  await using peer = new Daemon(coredns, ['-conf', join(folder, 'Corefile')], log('coredns'));
  const args = ['dns', `--kubeconfig=${server.kubeconfig}`, `--listen=127.0.0.1:${ownPort}`, '--forward=none'];
  await using own = new Daemon(process.execPath, [resolve('dist', 'keelson.js'), ...args], log('keelson-dns'));
  const both: readonly Measured[] = [
    { title: OURS, pid: own.pid, port: ownPort },
    { title: THEIRS, pid: peer.pid, port: peerPort },
  ];
  for (const { port } of both)
    await eventually(() => knowsAll(port), { what: 'all services', limitMs: 120_000, daemons: [peer, own] });
  for (let round = 0; round < rounds; round++) {
    for (const measured of round % 2 === 0 ? both : both.toReversed()) await measure(measured, folder, report);
  }
}

async function measure({ title, pid, port }: Measured, folder: string, report: Report): Promise<void> {
  const ask = (options: Pick<LoadOptions, 'outstanding' | 'isTcp' | 'perSecond'> & { readonly file?: string }) =>
    runLoad({ pid, port, seconds, questions: join(folder, options.file ?? 'questions'), ...options });
  const add = (name: string, unit: string, better: 'higher' | 'lower', value: number): void =>
    report.add(title, { name, unit, better, part: 'dnsperf, 10,000 services' }, value);
  const busy = await ask({ outstanding: 100 });
  add('answers over UDP, 100 questions at once', '1/s', 'higher', busy.perSecond);
  add('processor time of the server for one answer', 'µs', 'lower', busy.microseconds);
  add('answers that were lost', '', 'lower', busy.lost);
  const calm = await ask({ outstanding: 4, perSecond: 2000 });
  add('time of an answer at 2,000 questions a second, mean', 'ms', 'lower', calm.meanMs);
  const many = await ask({ outstanding: 100, file: 'headless' });
  add(`answers with ${ENDPOINTS} addresses over UDP`, '1/s', 'higher', many.perSecond);
  const tcp = await ask({ outstanding: 100, isTcp: true });
  add('answers over TCP, 8 connections', '1/s', 'higher', tcp.perSecond);
  add('resident memory after that', 'MB', 'lower', tcp.rssMb);
}

async function fill(client: Client): Promise<void> {
  const own = client.core.v1.services.namespace('default');
  const ports = [{ name: 'http', port: 80 }];
  await inTurns(
    services,
    async (index) => void (await own.create({ metadata: { name: `svc-${index}` }, spec: { ports } })),
  );
  await inTurns(headless, async (index) => {
    const name = `headless-${index}`;
    await own.create({ metadata: { name }, spec: { clusterIP: 'None', ports } });
    await client.discovery.v1.endpointslices.namespace('default').create({
      metadata: { name, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: Array.from({ length: ENDPOINTS }, (_, at) => ({
        addresses: [`10.${244 + (index >> 8)}.${index & 255}.${at + 1}`],
        conditions: { ready: true },
      })),
      ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    });
  });
  console.log(`${services} services and ${headless} headless ones with ${ENDPOINTS} endpoints each are there`);
}

function corefile(port: number, kubeconfig: string): string {
  return `.:${port} {
  bind 127.0.0.1
  errors
  kubernetes cluster.local in-addr.arpa ip6.arpa {
    kubeconfig ${kubeconfig}
    pods insecure
    ttl 5
  }
  loadbalance
}
`;
}

/** Mostly addresses of services; some of the next types, and some names that do not exist, as search domains make them. */
function questions(): string {
  const lines = Array.from({ length: services }, (_, index) => {
    const name = `svc-${(index * 7919) % services}.default.svc.cluster.local`;
    if (index % 10 === 0) return `svc-${index}.example.org.default.svc.cluster.local A`;
    if (index % 10 === 1) return `_http._tcp.${name} SRV`;
    return `${name} ${index % 10 < 5 ? 'AAAA' : 'A'}`;
  });
  return `${lines.join('\n')}\n`;
}

function headlessQuestions(): string {
  return Array.from({ length: headless }, (_, index) => `headless-${index}.default.svc.cluster.local A\n`).join('');
}

async function knowsAll(port: number): Promise<void> {
  for (const name of [`svc-${services - 1}`, `headless-${headless - 1}`]) {
    const bytes = questionBytes(`${name}.default.svc.cluster.local.`, RecordType.A);
    const answer = await askUdp(bytes, port, '127.0.0.1');
    if (answer === undefined || decodeMessage(answer).answers.length === 0) throw new Error(`"${name}" is not known`);
  }
}

function load(): string {
  return loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
}

function page(tables: string, loads: string): string {
  return `# Benchmarks: DNS

\`npm run bench:dns\`: \`keelson dns\` and CoreDNS 1.14.7 on the same \`keelson up\` with ${services.toLocaleString('en')} services and ${headless} headless ones,
asked by dnsperf in turns on the same machine. The questions are seven of ten for addresses of services (half of them AAAA, which there
are none of), one for an SRV record, one for a name that does not exist. \`keelson dns\` has one thread; CoreDNS uses all processors, which it shares with dnsperf.
Medians of ${rounds} rounds of ${seconds} seconds each, with their spread.

${machine()}; ${loads}. What was measured while the machine was busy with other work shows the ratio and nothing else.

${tables}
`;
}
