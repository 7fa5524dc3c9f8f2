// npm run soak [-- --days N --seed S --snapshots FOLDER]: a cluster under use for virtual days, with faults between its programs and its server.
// Once a virtual day the faults stop, the cluster comes to rest, and everything must be as it should. What grows is found in the
// heap snapshots of the middle and of the end.
// npm run soak -- --real-time MINUTES [--store etcd] [--rate WRITES] [-- FLAGS]: `keelson up` under steady churn, by the clock
// of real time. Memory and disk must not grow after the first ten minutes.
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeHeapSnapshot } from 'node:v8';
import { SeededRandom } from '../../src/base/index.ts';
import { type FaultRates, FaultyTransport, unreliableNetwork } from '../../src/client/index.ts';
import { app } from '../../src/kit/index.ts';
import { simulatedDevices } from '../../src/simulated/index.ts';
import { startCluster } from '../../src/testing/index.ts';
import { DRIVER, PER_NODE, soakAreas } from './areas/index.ts';
import { LEAST_JUDGED_MINUTES, SETTLING_MINUTES } from './growth.ts';
import { problemsOf } from './invariants.ts';
import { soakInRealTime } from './real-time.ts';
import { SoakUser } from './user.ts';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'real-time': { type: 'string' },
    store: { type: 'string', default: 'embedded' },
    rate: { type: 'string', default: '138' },
    days: { type: 'string', default: '10' },
    seed: { type: 'string', default: 'soak' },
    snapshots: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
if (flags['real-time'] !== undefined) {
  const minutes = Number(flags['real-time']);
  const store = flags.store === 'etcd' ? 'etcd' : 'embedded';
  const problems = await soakInRealTime({ minutes, store, writesPerSecond: Number(flags.rate), flags: positionals });
  for (const problem of problems) console.error(problem);
  const isJudged = minutes >= SETTLING_MINUTES + LEAST_JUDGED_MINUTES;
  console.log(isJudged ? `soak: ${problems.length} problems` : 'soak: too short to say whether anything grows');
  process.exit(problems.length === 0 ? 0 : 1);
}
const days = Number(flags.days);
/** The severity of an hour: a factor of the rates of `unreliableNetwork`. Most hours are calm, a few are storms. */
const SEVERITIES = [0.01, 0.01, 0.01, 0.02, 0.02, 0.05, 0.1, 0.5];
/** Caches fill up to their limits in the first days; what the heap grows by in the second half is a leak. */
const MAX_GROWTH_MB = 8;

const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));
const random = new SeededRandom(flags.seed);
const transports: FaultyTransport[] = [];
const heaps: number[] = [];
const failures: string[] = [];

await using cluster = await startCluster({
  nodes: 3,
  seed: flags.seed,
  apps: [app('simulated-devices', [simulatedDevices({ [DRIVER]: PER_NODE })])],
  wrapTransport: (transport, { clock }) => {
    const faulty = new FaultyTransport(transport, {
      clock,
      random: new SeededRandom(`${flags.seed} ${transports.length}`),
      rates: undefined,
    });
    faulty.change();
    transports.push(faulty);
    return faulty;
  },
});
const user = new SoakUser(cluster.client, random);
const areas = soakAreas({ client: cluster.client, random });
for (const area of areas) await area.begin();
const acts = new Map<string, number>();
for (let day = 1; day <= days; day++) {
  for (let hour = 0; hour < 23; hour++) {
    const severity = SEVERITIES[Math.floor(random.float() * SEVERITIES.length)] ?? 0;
    for (const transport of transports) transport.change(faultsOf(severity));
    for (let action = 0; action < 3; action++) {
      const area = areas[Math.floor(random.float() * areas.length)];
      for (const actor of [user, area]) {
        const done = (await actor?.act()) ?? '';
        const [verb = '', kind = ''] = done.split(' ');
        const what = /^[a-z]+$/i.test(kind) ? `${verb} ${kind}` : `${verb} Deployment`;
        acts.set(what, (acts.get(what) ?? 0) + 1);
        if (flags.verbose) console.log(`day ${day}, hour ${hour}: ${done}`);
      }
      await cluster.clock.advance(`${Math.ceil(random.float() * 19)}m`);
    }
    await cluster.clock.advance('5m');
  }
  for (const transport of transports) transport.change();
  await cluster.clock.advance('1h');
  await cluster.settle();
  const problems = await problemsOf(cluster.client, { user, areas }, cluster.apps);
  failures.push(...problems.map((problem) => `day ${day}: ${problem}`));
  (globalThis as { gc?: () => void }).gc?.();
  heaps.push(process.memoryUsage().heapUsed / 2 ** 20);
  const struck = transports.reduce((sum, { faults }) => sum + [...faults.values()].reduce((a, b) => a + b, 0), 0);
  console.log(
    `day ${day}: ${user.deployments.size} deployments, ${cachedObjects()} objects in caches, ${struck} faults so far, ${cluster.clock.pending} timers, ` +
      `${Math.round(heaps.at(-1) ?? 0)} MB, ${problems.length} problems`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  if (flags.snapshots !== undefined && (day === Math.floor(days / 2) || day === days))
    writeHeapSnapshot(join(flags.snapshots, `day-${day}.heapsnapshot`));
}
console.log([...acts].map(([what, count]) => `${what}: ${count}`).join(', '));
const growth = (heaps.at(-1) ?? 0) - (heaps[Math.floor(days / 2) - 1] ?? Infinity);
if (growth > MAX_GROWTH_MB) failures.push(`the heap has grown by ${Math.round(growth)} MB in the second half`);
for (const reason of unhandled) failures.push(`unhandled rejection: ${String(reason)}`);
for (const failure of failures) console.error(failure);
console.log(
  `soak: ${days} virtual days, seed "${flags.seed}": ${failures.length === 0 ? 'passed' : `${failures.length} failures`}`,
);
process.exitCode = failures.length === 0 ? 0 : 1;

/** What the cluster has to remember in any case; objects that several programs read count as often. */
function cachedObjects(): number {
  return cluster.apps.flatMap((each) => each.caches()).reduce((sum, { cache }) => sum + [...cache.keys()].length, 0);
}

function faultsOf(severity: number): FaultRates {
  return Object.fromEntries(
    Object.entries(unreliableNetwork).map(([fault, rate]) => [fault, rate * severity]),
  ) as unknown as FaultRates;
}
