// Measures the etcd store against a real etcd that it starts itself:
// `node scripts/run.mjs bench/etcd.ts [--etcd PATH] [--seconds 3] [--objects 20000]`.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { CryptoRandom, RealClock } from '../src/base/index.ts';
import { findTool } from '../src/base/testing/find-tool.ts';
import { EtcdStore } from '../src/store/etcd/etcd-store.ts';
import { MirrorStore } from '../src/store/mirror/mirror-store.ts';
import { EtcdProcess } from '../src/store/etcd/testing/etcd-process.ts';
import { prefixRange, type Store } from '../src/store/index.ts';

const { values: args } = parseArgs({
  options: {
    etcd: { type: 'string', default: findTool('etcd') ?? 'etcd' },
    seconds: { type: 'string', default: '3' },
    objects: { type: 'string', default: '20000' },
  },
});

const VALUE_BYTES = 1536;
const PREFIX = '/registry/configmaps/';
const clock = new RealClock();
const random = new CryptoRandom();
const seconds = Number(args.seconds);
const objects = Number(args.objects);
const values = Array.from({ length: 64 }, () => randomBytes(VALUE_BYTES));

const keyOf = (number: number): string => `${PREFIX}namespace-${number % 50}/object-${number}`;
const anyKey = (): string => keyOf(random.int(objects));
const anyValue = (): Uint8Array => values[random.int(values.length)] as Uint8Array;

function print(what: string, figures: string): void {
  console.log(`  ${what.padEnd(40)}${figures}`);
}

/** Closed-loop workers: each waits for its own request before the next. */
async function measure(what: string, workers: number, once: () => Promise<unknown>): Promise<void> {
  const latencies: number[] = [];
  const cpuBefore = process.cpuUsage();
  const started = clock.monotonic();
  const until = started + seconds * 1000;
  const work = async (): Promise<void> => {
    while (clock.monotonic() < until) {
      const before = clock.monotonic();
      await once();
      latencies.push(clock.monotonic() - before);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  const tookMs = clock.monotonic() - started;
  const cpu = process.cpuUsage(cpuBefore);
  latencies.sort((left, right) => left - right);
  const percentile = (share: number): string => (latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(2);
  const rate = Math.round((latencies.length / tookMs) * 1000);
  const cpuEach = Math.round((cpu.user + cpu.system) / latencies.length);
  const figures = `${String(rate).padStart(7)}/s   p50 ${percentile(0.5)} ms   p99 ${percentile(0.99)} ms   CPU ${cpuEach} µs`;
  print(`${what}, ${workers} in flight`, figures);
}

async function measureAll(store: Store): Promise<void> {
  const put = () => store.commit({ conditions: [], operations: [{ type: 'put', key: anyKey(), value: anyValue() }] });
  const swap = async (): Promise<void> => {
    const key = anyKey();
    const modRevision = (await store.get(key))?.modRevision ?? 0;
    await store.commit({ conditions: [{ key, modRevision }], operations: [{ type: 'put', key, value: anyValue() }] });
  };
  await measure('puts (warming up)', 64, put);
  for (const workers of [1, 16, 256]) await measure('puts', workers, put);
  for (const workers of [1, 16, 256]) await measure('gets', workers, () => store.get(anyKey()));
  for (const workers of [16, 256]) await measure('get and compare-and-swap', workers, swap);
  for (const workers of [1, 4]) await measure(`ranges of all`, workers, () => store.range(prefixRange(PREFIX)));
}

async function fill(store: Store): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    while (next < objects) {
      await store.commit({ conditions: [], operations: [{ type: 'put', key: keyOf(next++), value: anyValue() }] });
    }
  };
  await Promise.all(Array.from({ length: 256 }, write));
}

await using etcd = await EtcdProcess.start({ binary: args.etcd });
const options = { endpoints: [etcd.endpoint], clock, random };
console.log(
  `values of ${VALUE_BYTES} bytes, ${objects} keys, ${seconds} s each, Node ${process.version}, ${args.etcd}`,
);
{
  console.log('etcd store');
  await using store = new EtcdStore(options);
  await fill(store);
  await measureAll(store);
}
{
  console.log('mirror store');
  await using store = new MirrorStore(new EtcdStore(options));
  const started = clock.monotonic();
  await store.get(PREFIX);
  print(`load ${objects} objects`, `${Math.round(clock.monotonic() - started)} ms`);
  await measureAll(store);
}
