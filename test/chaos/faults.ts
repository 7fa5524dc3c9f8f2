import type { Clock, Random } from '../../src/base/index.ts';
import type { EtcdStore } from '../../src/store/etcd/etcd-store.ts';
import type { Fleet } from './fleet.ts';
import type { Program } from './program.ts';
import type { Reference } from './watchers.ts';

export interface FaultParts {
  readonly fleet: Fleet;
  readonly clock: Clock;
  readonly random: Random;
  readonly store: EtcdStore;
  readonly reference: Reference;
  readonly report: (line: string) => void;
}

type Fault = (parts: FaultParts) => Promise<void>;

/** History kept when etcd is compacted: less than a long-disconnected watch misses. */
const KEPT_REVISIONS = 150;

const faults: readonly (readonly [weight: number, name: string, act: Fault])[] = [
  [4, 'kill -9 of a server', (parts) => killed(parts, pick(parts, parts.fleet.servers))],
  [3, 'SIGSTOP of a server', (parts) => frozen(parts, pick(parts, parts.fleet.servers), 12_000)],
  [2, 'kill -9 of an etcd member', (parts) => killed(parts, pick(parts, parts.fleet.members))],
  [2, 'SIGSTOP of an etcd member', (parts) => frozen(parts, pick(parts, parts.fleet.members), 6000)],
  [2, 'loss of the quorum', lostQuorum],
  [2, 'compaction', compacted],
  [1, 'rolling restart', rollingRestart],
  [2, 'kill -9 of nodes', (parts) => killed(parts, pick(parts, parts.fleet.nodes))],
  [1, 'SIGSTOP of nodes', (parts) => frozen(parts, pick(parts, parts.fleet.nodes), 12_000)],
];

/** Does one thing after the other to the fleet until the time is over; all runs again when it resolves. */
export async function makeTrouble(parts: FaultParts, endMs: number): Promise<ReadonlyMap<string, number>> {
  const { clock, random, report } = parts;
  const counts = new Map<string, number>();
  // each once at least, in an order of chance, as far as time allows; then by weight
  const first = faults.map((fault) => ({ fault, at: random.float() })).toSorted((left, right) => left.at - right.at);
  for (let round = 0; clock.monotonic() < endMs; round += 1) {
    const [, name, act] = first[round]?.fault ?? weighted(random);
    report(name);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    await act(parts);
    await clock.sleep(1000 + random.float() * 4000);
  }
  return counts;
}

function weighted(random: Random): (typeof faults)[number] {
  let left = random.float() * faults.reduce((sum, [weight]) => sum + weight, 0);
  for (const fault of faults) {
    left -= fault[0];
    if (left <= 0) return fault;
  }
  return faults[0] as (typeof faults)[number];
}

function pick({ random }: FaultParts, programs: readonly Program[]): Program {
  return programs[random.int(programs.length)] as Program;
}

async function killed({ clock, random, report }: FaultParts, program: Program): Promise<void> {
  report(`  ${program.name}`);
  await program.kill();
  await clock.sleep(500 + random.float() * 4000);
  program.start();
}

async function frozen({ clock, random, report }: FaultParts, program: Program, mostMs: number): Promise<void> {
  report(`  ${program.name}`);
  program.freeze();
  await clock.sleep(1000 + random.float() * mostMs);
  program.thaw();
}

async function lostQuorum({ fleet, clock, random }: FaultParts): Promise<void> {
  const [first, second] = fleet.members.toSorted(() => random.float() - 0.5);
  await Promise.all([first?.kill(), second?.kill()]);
  await clock.sleep(2000 + random.float() * 8000);
  first?.start();
  await clock.sleep(random.float() * 1000);
  second?.start();
}

/** Never what the reference has not seen. */
async function compacted({ store, reference }: FaultParts): Promise<void> {
  const revision = reference.revision - KEPT_REVISIONS;
  if (revision > 0) await store.compact(revision).catch(() => undefined); // etcd may be away
}

async function rollingRestart({ fleet, clock, report }: FaultParts): Promise<void> {
  for (const server of fleet.servers) {
    await server.stop();
    server.start();
    const isReady = await fleet.ready(clock, 30_000);
    if (!isReady) report(`  ${server.name} is not ready after 30 s`);
  }
}
