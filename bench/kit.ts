// What the kit and its test clusters cost, beside what they may: `node --expose-gc scripts/run.mjs bench/kit.ts [CLUSTERS]`, after a build.
// What caches of pods take is measured by bench/client.ts.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundled } from './kit/bundled.ts';
import { startCluster, type TestCluster } from '../src/testing/index.ts';

const root = join(import.meta.dirname, '..');
const clusters = Number(process.argv[2] ?? 1000);
const MB = 1024 * 1024;

interface Figure {
  readonly what: string;
  readonly value: number;
  readonly limit: number;
  readonly unit: string;
}

const figures: Figure[] = [
  ...importing(),
  ...(await bundles()),
  ...(await starting()),
  await idleDay(),
  await sequence(),
];
for (const { what, value, limit, unit } of figures)
  console.log(`${value <= limit ? 'ok  ' : 'OVER'} ${what}: ${value.toFixed(1)} ${unit} (at most ${limit})`);

/** The published bundle, in its own process: the best of five. */
function importing(): readonly Figure[] {
  const program = `
    const before = process.memoryUsage().rss;
    const start = process.cpuUsage();
    await import(${JSON.stringify(join(root, 'dist', 'kit.js'))});
    const { user, system } = process.cpuUsage(start);
    console.log(JSON.stringify([(user + system) / 1000, (process.memoryUsage().rss - before) / ${MB}]));`;
  const runs = Array.from({ length: 5 }, () => {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
    return JSON.parse(stdout) as [number, number];
  });
  return [
    { what: "import 'keelson'", value: Math.min(...runs.map(([ms]) => ms)), limit: 60, unit: 'ms of CPU' },
    { what: "import 'keelson', memory", value: Math.min(...runs.map(([, mb]) => mb)), limit: 10, unit: 'MB' },
  ];
}

async function bundles(): Promise<readonly Figure[]> {
  const { loadedKb, wholeKb, forPodsKb } = await bundled(
    `import { app, controller, Pod, run } from './dist/kit.js';
     await run(app('a', [controller(Pod, { reconcile: () => undefined })]));`,
    root,
  );
  return [
    { what: 'a controller, bundled: what it loads', value: loadedKb, limit: 150, unit: 'KB' },
    { what: 'the same in one file', value: wholeKb, limit: 200, unit: 'KB' },
    { what: 'the same in one file for pods, without kubeconfigs', value: forPodsKb, limit: 150, unit: 'KB' },
  ];
}

async function cpuMs(act: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await act();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The middle one of many, after a few. */
async function typical(act: () => Promise<AsyncDisposable>): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round < 60; round++) {
    let made: AsyncDisposable | undefined;
    all.push(await cpuMs(async () => void (made = await act())));
    await made?.[Symbol.asyncDispose]();
  }
  return all.slice(20).toSorted((left, right) => left - right)[20] ?? NaN;
}

async function starting(): Promise<readonly Figure[]> {
  const start = await typical(() => startCluster());
  await using cluster = await startCluster();
  const fork = await typical(() => cluster.fork());
  return [
    { what: 'startCluster(), warm', value: start, limit: 30, unit: 'ms of CPU' },
    { what: 'fork()', value: fork, limit: 10, unit: 'ms of CPU' },
    { what: 'startCluster() and a ConfigMap', value: await typical(withConfigMap), limit: 40, unit: 'ms of CPU' },
  ];
}

async function withConfigMap(): Promise<TestCluster> {
  const cluster = await startCluster();
  await cluster.client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'm' } });
  await cluster.settle();
  return cluster;
}

async function idleDay(): Promise<Figure> {
  await using cluster = await startCluster();
  const value = await cpuMs(() => cluster.clock.advance('1d'));
  return { what: 'a day of an idle cluster', value, limit: 300, unit: 'ms of CPU' };
}

async function sequence(): Promise<Figure> {
  const used = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed / MB;
  };
  const some = async (count: number): Promise<void> => {
    for (let round = 0; round < count; round++) {
      await using _cluster = await withConfigMap();
    }
  };
  await some(50);
  const before = used();
  await some(clusters);
  return { what: `${clusters} test clusters, growth`, value: used() - before, limit: 5, unit: 'MB of heap' };
}
