// Measures the stores in this process: `node scripts/run.mjs bench/store.ts [--seconds 3] [--objects 100000] [--folder DIR]`.
// With `--open DIR` it only opens a store, measures that and says so: for the process that the program starts for it.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { CryptoRandom, RealClock } from '../src/base/index.ts';
import {
  compactStore,
  type InProcessStore,
  openDurableStore,
  openMemoryStore,
  prefixRange,
} from '../src/store/index.ts';

const { values: args } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    objects: { type: 'string', default: '100000' },
    folder: { type: 'string', default: tmpdir() },
    open: { type: 'string' },
  },
});

const VALUE_BYTES = 1536;
const KEYS = 20_000;
const clock = new RealClock();
const random = new CryptoRandom();
const values = Array.from({ length: 64 }, () => randomBytes(VALUE_BYTES));

const keyOf = (number: number): string => `/registry/configmaps/namespace-${number % 50}/object-${number}`;
const valueOf = (number: number): Uint8Array => values[number % values.length] as Uint8Array;
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MiB`;

function print(what: string, figures: string): void {
  console.log(`${what.padEnd(46)}${figures}`);
}

/** Closed-loop writers: each waits for its own write before the next. */
async function measurePuts(store: InProcessStore, writers: number, seconds: number): Promise<void> {
  const latencies: number[] = [];
  const until = clock.monotonic() + seconds * 1000;
  const started = clock.monotonic();
  const write = async (): Promise<void> => {
    while (clock.monotonic() < until) {
      const before = clock.monotonic();
      const number = random.int(KEYS);
      await store.commit({ conditions: [], operations: [{ type: 'put', key: keyOf(number), value: valueOf(number) }] });
      latencies.push(clock.monotonic() - before);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const took = clock.monotonic() - started;
  latencies.sort((left, right) => left - right);
  const percentile = (share: number): string => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2);
  const rate = Math.round((latencies.length / took) * 1000);
  print(`  puts/s, ${writers} writers`, `${rate}   p50 ${percentile(0.5)} ms   p99 ${percentile(0.99)} ms`);
}

async function fill(store: InProcessStore, objects: number): Promise<void> {
  const started = clock.monotonic();
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < objects) {
      const number = next++;
      await store.commit({
        conditions: [],
        operations: [{ type: 'put', key: keyOf(number), value: Buffer.from(valueOf(number)) }],
      });
    }
  };
  await Promise.all(Array.from({ length: 256 }, write));
  print(`  fill with ${objects} objects, 256 writers`, `${Math.round(clock.monotonic() - started)} ms`);
}

function measureReads(store: InProcessStore, objects: number): void {
  let started = clock.monotonic();
  const reads = 500_000;
  for (let count = 0; count < reads; count++) store.readNow(keyOf(random.int(objects)));
  print('  gets/s (in process)', `${Math.round((reads / (clock.monotonic() - started)) * 1000)}`);
  started = clock.monotonic();
  const rounds = 20;
  let entries = 0;
  for (let count = 0; count < rounds; count++) entries += store.rangeNow(prefixRange('/registry/')).entries.length;
  print('  range over all, entries/s', `${Math.round((entries / (clock.monotonic() - started)) * 1000)}`);
}

/** Opening is measured in its own process, as it happens in life: with an empty heap and cold code. */
async function measureOpen(folder: string): Promise<void> {
  const started = clock.monotonic();
  await using store = await openDurableStore(folder, { clock, random });
  const tookMs = Math.round(clock.monotonic() - started);
  const objects = store.rangeNow(prefixRange('/'), { limit: 1 }).count;
  print(`  open ${objects} objects`, `${tookMs} ms   RSS ${megabytes(process.memoryUsage.rss())}`);
  measureReads(store, objects);
}

function openElsewhere(folder: string): void {
  const run = join(import.meta.dirname, '../scripts/run.mjs');
  const program = join(import.meta.dirname, 'store.ts');
  execFileSync(process.execPath, [run, program, '--open', folder], { stdio: 'inherit' });
}

async function measureAll(folder: string): Promise<void> {
  const seconds = Number(args.seconds);
  const objects = Number(args.objects);
  console.log(`values of ${VALUE_BYTES} bytes, ${KEYS} keys, ${seconds} s each, Node ${process.version}`);
  console.log('memory store');
  {
    await using memory = openMemoryStore({ clock });
    await measurePuts(memory, 1, seconds);
  }
  console.log('durable store');
  {
    await using store = await openDurableStore(join(folder, 'puts'), { clock, random });
    await measurePuts(store, 256, 1); // warms up
    for (const writers of [1, 16, 256]) await measurePuts(store, writers, seconds);
  }
  const full = join(folder, 'full');
  {
    await using store = await openDurableStore(full, { clock, random });
    await fill(store, objects);
  }
  console.log('from the log alone');
  openElsewhere(full);
  const started = clock.monotonic();
  await compactStore(full, { clock });
  print('  compact', `${Math.round(clock.monotonic() - started)} ms`);
  console.log('from a checkpoint');
  openElsewhere(full);
}

if (args.open !== undefined) {
  await measureOpen(args.open);
} else {
  const folder = await mkdtemp(join(args.folder, 'keelson-store-bench-'));
  try {
    await measureAll(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
