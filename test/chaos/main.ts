// npm run chaos [-- --minutes N --seed S --folder DIR]: three servers on three etcd members, under load, with everything going wrong
// that can. Ends with 1 when an acknowledged write, a watch event or a pod was lost or doubled, when a process ended by itself, or
// when what clients read and swapped cannot be explained by any order.
import { setMaxListeners } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CryptoRandom, RealClock, SeededRandom } from '../../src/base/index.ts';
import { type Client, connectTo, findConnection } from '../../src/client/index.ts';
import { EtcdStore } from '../../src/store/etcd/etcd-store.ts';
import { NAMESPACE, Swapper, type Workload, Writer } from './clients.ts';
import { Deployments, PodCounter } from './deployments.ts';
import { makeTrouble } from './faults.ts';
import { Fleet } from './fleet.ts';
import { checkRegister, type RegisterOperation } from './linearizability.ts';
import { checkStretch } from './watch-history.ts';
import { followPods } from './follow-pods.ts';
import { Reference, Watcher } from './watchers.ts';

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    folder: { type: 'string' },
  },
});
const problems: string[] = [];
const REGISTERS = ['register-0', 'register-1', 'register-2', 'register-3'];
const SETTLE_MS = 120_000;
const clock = new RealClock();
const random = new SeededRandom(flags.seed);
const folder = flags.folder ?? (await mkdtemp(join(tmpdir(), 'keelson-chaos-')));
const startedMs = clock.monotonic();
const report = (line: string): void =>
  console.log(`${((clock.monotonic() - startedMs) / 1000).toFixed(1).padStart(6)} s  ${line}`);

report(`seed ${flags.seed}, ${flags.minutes} minutes, logs in ${folder}`);
await using fleet = await Fleet.start(folder, clock);
if (!(await fleet.ready(clock, SETTLE_MS))) throw new Error(`The servers are not ready; see ${folder}`);
for (const program of fleet.nodes) program.start();
const found = await findConnection({ kubeconfig: fleet.kubeconfig(0), clock });
const clientFor = (server: string): Client =>
  connectTo({ ...found, server }, { clock, random: new CryptoRandom(), userAgent: 'chaos' });
const direct = fleet.ports.map((port) => clientFor(`https://127.0.0.1:${port}`));
const balanced = clientFor(fleet.balanced);
const ways = [...direct, balanced, balanced];
await balanced.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
for (const name of REGISTERS)
  await balanced.core.v1.configmaps.namespace(NAMESPACE).create({ metadata: { name }, data: { value: 'initial' } });

const store = new EtcdStore({ endpoints: fleet.endpoints, clock, random: new CryptoRandom() });
const from = await store.revision();
const reference = new Reference(from);
const podCounter = new PodCounter();
const stop = new AbortController();
const watching = new AbortController();
for (const { signal } of [stop, watching]) setMaxListeners(0, signal);
const workload: Workload = {
  clock,
  random,
  signal: stop.signal,
  anyClient: () => ways[random.int(ways.length)] ?? balanced,
};
const writers = ['a', 'b', 'c', 'd'].map((name) => new Writer(`writer-${name}`));
const swappers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => new Swapper(name, REGISTERS));
const watchers = ways.slice(0, 4).map((_, index) => new Watcher(index < 3 ? `server${index}` : 'balanced', from));
const deployments = new Deployments();
const running = [
  reference.run(store, watching.signal),
  followPods(store, { counter: podCounter, from, signal: watching.signal }),
  ...watchers.map((watcher, index) => watcher.run(ways[index] ?? balanced, { clock, signal: watching.signal })),
];
await deployments.create(balanced);
const using = [...writers, ...swappers].map((each) => each.run(workload));
using.push(deployments.use(workload));
report('under load');

const counts = await makeTrouble(
  { fleet, clock, random, store, reference, report },
  clock.monotonic() + Number(flags.minutes) * 60_000,
);
report('everything runs again');
const isReady = await fleet.ready(clock, SETTLE_MS);
stop.abort();
await Promise.all(using);
await deployments.check(balanced, clock, SETTLE_MS);
const revision = await store.revision();
await store.requestProgress();
await caughtUp(revision);
problems.push(
  ...(isReady ? [] : ['the servers did not become ready again']),
  ...fleet.endings,
  ...(await lostWrites()),
  ...watchers.flatMap(({ name, stretches }) =>
    stretches.flatMap((stretch) =>
      checkStretch(stretch, reference.events).map((problem) => `watch of ${name}: ${problem}`),
    ),
  ),
  ...deployments.problems,
  ...podCounter.problems,
  ...registerProblems(),
);
watching.abort();
await Promise.all(running.map((each) => each.catch((error: unknown) => problems.push(String(error)))));
reportSummary();
await store[Symbol.asyncDispose]();
for (const client of [...direct, balanced]) await client[Symbol.asyncDispose]();
if (problems.length === 0 && flags.folder === undefined) await rm(folder, { recursive: true, force: true });
process.exitCode = problems.length === 0 ? 0 : 1;

/** Waits until all watches have come as far as etcd, or have had a minute to. */
async function caughtUp(last: number): Promise<void> {
  const lastEvent = (): number => reference.events.at(-1)?.revision ?? last;
  const endMs = clock.monotonic() + 60_000;
  const isBehind = (): boolean =>
    reference.revision < last || watchers.some((watcher) => watcher.revision < lastEvent());
  while (isBehind() && clock.monotonic() < endMs) await clock.sleep(200);
  if (isBehind())
    problems.push(
      `watches are behind: ${watchers.map(({ name, revision: at }) => `${name} at ${at}`).join(', ')} of ${lastEvent()}`,
    );
}

async function lostWrites(): Promise<string[]> {
  const { items } = await balanced.core.v1.configmaps.namespace(NAMESPACE).list();
  const there = new Set(items.map(({ metadata }) => metadata.name));
  return writers.flatMap(({ acknowledged }) =>
    [...acknowledged].flatMap(([name, isThere]) =>
      there.has(name) === isThere
        ? []
        : [`the ${isThere ? 'creation' : 'deletion'} of "${name}" was acknowledged and is lost`],
    ),
  );
}

function historyOf(register: string): RegisterOperation[] {
  const all = swappers.flatMap(({ history }) => history.get(register) ?? []);
  return all.toSorted((left, right) => left.calledAt - right.calledAt);
}

function registerProblems(): string[] {
  return REGISTERS.flatMap((register) => {
    const verdict = checkRegister(historyOf(register), 'initial');
    return verdict.isLinearizable
      ? []
      : [`${register} is not linearizable: ${JSON.stringify(verdict.stuckAt).slice(0, 2000)}`];
  });
}

function reportSummary(): void {
  const operations = REGISTERS.flatMap(historyOf);
  const acknowledged = writers.reduce((sum, each) => sum + each.acknowledged.size, 0);
  const events = watchers.reduce(
    (sum, { stretches }) => sum + stretches.reduce((all, each) => all + each.events.length, 0),
    0,
  );
  for (const [name, count] of counts) report(`  ${count} × ${name}`);
  report(
    `${acknowledged} acknowledged writes, ${writers.reduce((sum, { unknown }) => sum + unknown, 0)} of unknown outcome`,
  );
  report(
    `${events} watch events in ${watchers.length} watches with ${watchers.reduce((sum, { breaks }) => sum + breaks, 0)} breaks, ${watchers.reduce((sum, { expired }) => sum + expired, 0)} of them expired`,
  );
  report(`${operations.length} reads and swaps of ${REGISTERS.length} registers`);
  report(
    `${podCounter.created} pods made, ${fleet.servers.reduce((sum, { starts }) => sum + starts, 0)} starts of servers`,
  );
  for (const problem of problems.slice(0, 50)) report(`PROBLEM ${problem}`);
  report(problems.length === 0 ? 'nothing lost, nothing doubled' : `${problems.length} problems; logs in ${folder}`);
}
