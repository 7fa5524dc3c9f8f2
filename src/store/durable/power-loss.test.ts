import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SeededRandom, VirtualClock } from '../../base/index.ts';
import { prefixRange } from '../key-range.ts';
import type { Operation } from '../store.ts';
import { SimulatedDisk } from '../testing/simulated-disk.ts';
import { del, put, text } from '../testing/store-under-test.ts';
import type { DurableStore } from './durable-store.ts';
import { openDurableStore } from './open-durable-store.ts';

/** KEELSON_POWER_ROUNDS runs more. */
const RUNS = Number(process.env['KEELSON_POWER_ROUNDS'] ?? 120);
const TRANSACTIONS = 60;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keelson-power-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** With options that make new segments, checkpoints and removals frequent. */
function open(files: SimulatedDisk, clock = new VirtualClock()): Promise<DurableStore> {
  return openDurableStore(folder, {
    files,
    clock,
    random: new SeededRandom(7),
    segmentBytes: 2000,
    checkpointAfterBytes: 1,
    history: { maxRevisions: 8 },
  });
}

function contents(store: DurableStore): Record<string, string | undefined> {
  return Object.fromEntries(store.rangeNow(prefixRange('/')).entries.map((entry) => [entry.key, text(entry)]));
}

/** The states that a store must have after 0, 1, 2, … of the transactions. */
function statesAfter(transactions: readonly Operation[][]): Record<string, string>[] {
  const states: Record<string, string>[] = [{}];
  for (const operations of transactions) {
    const next = { ...states.at(-1) };
    for (const operation of operations) {
      if (operation.type === 'delete') delete next[operation.key];
      else next[operation.key] = new TextDecoder().decode(operation.value);
    }
    states.push(next);
  }
  return states;
}

test(
  `whenever the power fails, acknowledged writes are there and no write is partial (${RUNS} failures)`,
  { timeout: 600_000 + RUNS * 100 },
  async () => {
    const seen = { failures: 0, acknowledged: 0 };
    for (let seed = 1; seed <= RUNS; seed++) {
      const random = new SeededRandom(seed);
      const disk = new SimulatedDisk(random);
      disk.failAfter(random.int(seed % 4 === 0 ? 60 : 400));
      const transactions = Array.from({ length: TRANSACTIONS }, (_item, index) => [
        put('/always', String(index)),
        ...(index % 5 === 4
          ? [del(`/key-${random.int(10)}`)]
          : [put(`/key-${random.int(10)}`, `${index}`.repeat(1 + random.int(60)))]),
      ]);
      const states = statesAfter(transactions);
      const acknowledged = await writeUntilFailure(disk, transactions, random);
      const survivor = disk.afterFailure;
      const store = await open(survivor);

      expect(store.revisionNow(), `seed ${seed}`).toBeGreaterThanOrEqual(acknowledged);
      expect(contents(store), `seed ${seed}`).toEqual(states[store.revisionNow()]);

      const last = await store.commit({ conditions: [], operations: [put('/after', 'the failure')] });
      await store[Symbol.asyncDispose]();
      const again = await open(survivor);
      expect(contents(again), `seed ${seed}`).toEqual({ ...states[last.revision - 1], '/after': 'the failure' });
      await again[Symbol.asyncDispose]();
      seen.failures += acknowledged < TRANSACTIONS ? 1 : 0;
      seen.acknowledged += acknowledged;
    }
    expect(seen.failures).toBeGreaterThan(RUNS / 4);
    expect(seen.acknowledged).toBeGreaterThan(RUNS);
  },
);

/** Returns how many were acknowledged. Some are queued at once, others one by one. */
async function writeUntilFailure(
  disk: SimulatedDisk,
  transactions: readonly Operation[][],
  random: SeededRandom,
): Promise<number> {
  let acknowledged = 0;
  const clock = new VirtualClock();
  const store = await open(disk, clock).catch(() => undefined); // the power failed while opening
  if (store === undefined) return 0;
  for (let next = 0; next < transactions.length;) {
    const group = transactions.slice(next, next + 1 + random.int(6));
    next += group.length;
    const results = await Promise.allSettled(group.map((operations) => store.commit({ conditions: [], operations })));
    acknowledged += results.filter(({ status }) => status === 'fulfilled').length;
    if (results.some(({ status }) => status === 'rejected')) break;
    if (random.int(3) === 0) await clock.advance(20); // lets the manifest sync
  }
  await store[Symbol.asyncDispose]();
  return acknowledged;
}
