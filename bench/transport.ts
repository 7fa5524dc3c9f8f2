// What the transport costs above Node's own server, in CPU time a request: `node scripts/run.mjs bench/transport.ts`.
// Needs h2load, and wrk for what it costs over HTTP/1.1. The servers run one after the other in turns, since other work on the machine comes and goes.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const ROUNDS = Number(process.argv[2] ?? 5);
const ROLES = ['bare', 'bare-with-headers', 'keelson'] as const;

interface Load {
  readonly name: string;
  /** Applies the load and returns the number of requests. */
  run(port: number): number;
}

const loads: readonly Load[] = [
  { name: 'GET 1.5 KB, HTTP/2, 1 connection x 32', run: (port) => h2load(port, '/small', [60_000, 1, 32]) },
  { name: 'GET 1.5 KB, HTTP/2, 32 connections x 1', run: (port) => h2load(port, '/small', [30_000, 32, 1]) },
  ...(spawnSync('wrk', ['-v']).error === undefined
    ? [{ name: 'GET 1.5 KB, HTTP/1.1, 32 connections', run: (port: number) => wrk(port, '/small') }]
    : []),
  { name: 'list 5 MB of 5000 items, HTTP/2, 4 at once', run: (port) => h2load(port, '/list', [300, 1, 4]) },
];

function h2load(port: number, path: string, [requests, clients, streams]: readonly [number, number, number]): number {
  const args = ['-n', requests, '-c', clients, '-m', streams, '-w', 24, '-W', 24, `https://127.0.0.1:${port}${path}`];
  const output = execFileSync('h2load', args.map(String), { encoding: 'utf8' });
  const succeeded = Number(/(\d+) succeeded/.exec(output)?.[1]);
  if (succeeded !== requests) throw new Error(`Cannot measure: ${output}`);
  return succeeded;
}

function wrk(port: number, path: string): number {
  const args = ['-t', '1', '-c', '32', '-d', '2', `https://127.0.0.1:${port}${path}`];
  return Number(/(\d+) requests in/.exec(execFileSync('wrk', args, { encoding: 'utf8' }))?.[1]);
}

interface Server {
  readonly process: ChildProcess;
  readonly port: number;
}

async function start(role: string): Promise<Server> {
  const run = join(import.meta.dirname, '..', 'scripts', 'run.mjs');
  const child = spawn(process.execPath, [run, join(import.meta.dirname, 'transport-server.ts'), role], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return { process: child, port };
}

async function usage(server: Server): Promise<{ readonly cpuUs: number; readonly rssBytes: number }> {
  server.process.send('usage');
  const [answer] = await once(server.process, 'message');
  return answer;
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const servers = new Map<string, Server>();
for (const role of ROLES) servers.set(role, await start(role));
console.log(
  `| server CPU µs a request, median of ${ROUNDS} | ${ROLES.join(' | ')} | keelson / bare | keelson / bare-with-headers |`,
);
console.log(`|---|${'---|'.repeat(ROLES.length + 2)}`);
for (const load of loads) {
  const costs = new Map<string, number[]>(ROLES.map((role) => [role, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [role, server] of servers) {
      const before = await usage(server);
      const requests = load.run(server.port);
      const after = await usage(server);
      if (round >= 0) costs.get(role)?.push((after.cpuUs - before.cpuUs) / requests); // the first round warms up
    }
  }
  const [bare = 0, withHeaders = 0, keelson = 0] = ROLES.map((role) => median(costs.get(role) ?? []));
  const cells = [bare, withHeaders, keelson].map((cost) => cost.toFixed(1));
  console.log(
    `| ${load.name} | ${cells.join(' | ')} | ${(keelson / bare).toFixed(2)} | ${(keelson / withHeaders).toFixed(2)} |`,
  );
}
for (const [role, server] of servers) {
  console.log(`${role}: ${Math.round((await usage(server)).rssBytes / 1e6)} MB resident`);
  server.process.disconnect();
}
