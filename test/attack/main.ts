// Attacks its own server and prints what other clients notice, in a table: `npm run attack [-- --peer] [NAME…]`.
// With --peer a real kube-apiserver is attacked as well, which takes twice as long. Ends within fifteen minutes, or thirty; exits 1
// when a server does not live through it, or when time is up. $ATTACK_NODE_FLAGS are further flags of Node.js for the server, such as --cpu-prof.

import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rssMbOf } from '../../bench/process-use.ts';
import { type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { ATTACKS } from './all.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { HeldLoop } from './held-loop.ts';
import { addUser } from './ordinary-user.ts';
import { type Noticed, noticedDuring, startIdleServer } from './probe.ts';

const hasPeer = process.argv.includes('--peer');
const MAX_RUN_MS = (hasPeer ? 29 : 14) * 60_000;
const MAX_ATTACK_MS = 30_000;
/** Delay after the attack until memory is measured again. Attacks on other servers continue meanwhile. */
const REST_MS = 60_000;

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const attacks = ATTACKS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const unknown = wanted.filter((name) => !ATTACKS.some((attack) => attack.name === name));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; attacks are ${ATTACKS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const servers: [string, (attack: Attack) => Promise<RunningServer>][] = [['keelson', startOurs]];
if (hasPeer) servers.push(['kube-apiserver', () => startKube()]);
const folder = await mkdtemp(join(tmpdir(), 'keelson-attack-'));
const loops = new Map<RunningServer, HeldLoop>();

process.setMaxListeners(0); // one a server that rests
const timeUp = AbortSignal.timeout(MAX_RUN_MS);
const idleUrl = await startIdleServer();
const running = new Set<RunningServer>();
const giveUp = (why: string): void => {
  console.error(why);
  void Promise.allSettled(Array.from(running, (server) => server.stop())).then(() => process.exit(1));
};
timeUp.addEventListener('abort', () => giveUp('time is up'));
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => giveUp(name));

const COLUMNS = [
  'Attack',
  'Server',
  'p99 ms alone',
  'p99 ms',
  'worst ms',
  'p99 ms of an idle server',
  'longest hold, ms on a core',
  'holds above 50 ms',
  'ms on a core',
  'failed',
  'MB before',
  'most',
  'after',
  'What happened',
];
console.log(`| ${COLUMNS.join(' | ')} |`);
console.log(`|${' --- |'.repeat(COLUMNS.length)}`);
const rows: Promise<void>[] = [];
for (const attack of attacks) {
  for (const [name, start] of servers) {
    if (attack.isForOursOnly === true && name !== 'keelson') continue;
    const server = await start(attack);
    running.add(server);
    const { line, after } = await attackOnce(attack, server);
    rows.push(after.then((ended) => console.log(`| ${attack.name} | ${name} | ${line.replace('AFTER', ended)} |`)));
  }
}
await Promise.all(rows);
await rm(folder, { recursive: true, force: true });
process.exit();

async function startOurs({ name, flags = [] }: Attack): Promise<RunningServer> {
  const place = join(folder, name);
  await mkdir(place);
  const loop = new HeldLoop(place);
  const server = await startKeelson({
    flags,
    nodeFlags: [...loop.nodeFlags, ...(process.env['ATTACK_NODE_FLAGS'] ?? '').split(' ').filter(Boolean)],
  });
  loops.set(server, loop);
  return server;
}

interface Attacked {
  /** The row of the table; AFTER stands for what is not known yet. */
  readonly line: string;
  /** Memory in the end. The server is stopped then. */
  readonly after: Promise<string>;
}

async function attackOnce(attack: Attack, server: RunningServer): Promise<Attacked> {
  const stop = async (): Promise<void> => {
    running.delete(server);
    await server.stop();
  };
  try {
    const target = await targetOf(server);
    target.viewer = await addUser(target, 'view');
    if (attack.isByEditor === true) target.user = await addUser(target, 'edit');
    await attack.prepare?.(target);
    const { noticed: alone } = await noticedDuring(target, () => sleep(2_000));
    const before = rssMbOf(target.pid);
    let most = before;
    await loops.get(server)?.look(target.pid); // what was before does not count
    const look = setInterval(() => (most = Math.max(most, memoryOf(target) ?? 0)), 100);
    const signal = AbortSignal.any([timeUp, AbortSignal.timeout(MAX_ATTACK_MS)]);
    const { result, noticed, beside } = await noticedDuring(target, () =>
      Promise.race([attack.run(target, signal), sleep(2 * MAX_ATTACK_MS, 'did not come to an end')]),
    );
    clearInterval(look);
    const held = await loops.get(server)?.look(target.pid);
    const line = [
      ...timesOf(alone, noticed, beside),
      held?.longestMs.toFixed(0) ?? '',
      held?.aboveLimit ?? '',
      held?.busyMs.toFixed(0) ?? '',
      noticed.failed,
      Math.round(before),
      Math.round(most),
      'AFTER',
      result,
    ];
    return { line: line.join(' | '), after: afterRest(target, stop) };
  } catch (error) {
    process.exitCode = 1;
    await stop();
    return { line: `${' | '.repeat(10)}AFTER | ${String(error)}`, after: Promise.resolve('') };
  }
}

async function targetOf({ url, folder, token, kubeconfig, daemons }: RunningServer): Promise<AttackTarget> {
  const ca = await readFile(join(folder, 'pki', 'ca.crt'), 'utf8');
  return { url, ca, token, kubeconfig, idleUrl, pid: daemons.at(-1)?.pid ?? 0 };
}

function timesOf(alone: Noticed, { p99, worst }: Noticed, beside: Noticed): string[] {
  return [alone.p99, p99, worst, beside.p99].map((ms) => ms.toFixed(1));
}

/** Memory when the server has had time to recover, and whether it still serves. */
async function afterRest(target: AttackTarget, stop: () => Promise<void>): Promise<string> {
  await sleep(REST_MS);
  const memory = memoryOf(target);
  const { noticed } = memory === undefined ? { noticed: { failed: 1 } } : await noticedDuring(target, () => sleep(500));
  if (noticed.failed > 0) process.exitCode = 1;
  await stop();
  return memory === undefined ? 'gone' : String(Math.round(memory));
}

/** Undefined when the process is gone. */
function memoryOf({ pid }: AttackTarget): number | undefined {
  try {
    return rssMbOf(pid);
  } catch {
    return undefined;
  }
}
