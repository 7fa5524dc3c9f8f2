// Attacks a server of its own and prints what other clients notice, in a table: `npm run attack [-- --peer] [NAME…]`.
// With --peer a real kube-apiserver is attacked as well. Exits 1 when a server does not live through it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rssMbOf } from '../../bench/process-use.ts';
import { type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { ATTACKS } from './all.ts';
import type { Attack, AttackTarget } from './attack.ts';
import { noticedDuring } from './probe.ts';

const LONGEST_ATTACK_MS = 60_000;
const REST_MS = 5_000;

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const attacks = ATTACKS.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const servers: [string, () => Promise<RunningServer>][] = [['keelson', () => startKeelson({ ...(process.env["BUNDLE"] === undefined ? {} : { bundle: process.env["BUNDLE"] }) })]];
if (process.argv.includes('--peer')) servers.push(['kube-apiserver', () => startKube()]);

console.log('| Attack | Server | p50 ms | p99 ms | worst ms | failed | MB before | most | after | What happened |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |');
for (const attack of attacks) {
  for (const [name, start] of servers) {
    await using server = await start();
    console.log(`| ${attack.name} | ${name} | ${await rowOf(attack, await targetOf(server))} |`);
  }
}

async function targetOf({ url, folder, token, kubeconfig, daemons }: RunningServer): Promise<AttackTarget> {
  const ca = await readFile(join(folder, 'pki', 'ca.crt'), 'utf8');
  return { url, ca, token, kubeconfig, pid: daemons.at(-1)?.pid ?? 0 };
}

async function rowOf(attack: Attack, target: AttackTarget): Promise<string> {
  try {
    await noticedDuring(target, () => sleep(1_000)); // warm
    const before = rssMbOf(target.pid);
    let most = before;
    const look = setInterval(() => (most = Math.max(most, rssMbOf(target.pid))), 100);
    const { result, noticed } = await noticedDuring(target, () =>
      attack.run(target, AbortSignal.timeout(LONGEST_ATTACK_MS)),
    );
    clearInterval(look);
    await sleep(REST_MS);
    const after = await noticedDuring(target, () => sleep(500));
    if (after.noticed.failed > 0) process.exitCode = 1;
    const times = [noticed.p50, noticed.p99, noticed.worst].map((ms) => ms.toFixed(1));
    const memory = [before, most, rssMbOf(target.pid)].map((mb) => mb.toFixed(0));
    return [...times, noticed.failed, ...memory, result].join(' | ');
  } catch (error) {
    process.exitCode = 1;
    return `${' | '.repeat(7)}${String(error)}`;
  }
}
