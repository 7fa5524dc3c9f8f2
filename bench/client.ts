// What the client costs: importing it, an informer's memory, and how many changes a second it takes.
// `node scripts/run.mjs bench/client.ts [--objects 50000] [--rounds 5]`
import { build } from 'esbuild';
import { execFileSync, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const { values: args } = parseArgs({
  options: { objects: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '5' } },
});
const root = join(import.meta.dirname, '..');
const rounds = Number(args.rounds);
const folder = await mkdtemp(join(tmpdir(), 'keelson-bench-client-'));

function print(what: string, figures: string): void {
  console.log(`${what.padEnd(50)}${figures}`);
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function bundle(entry: string, outfile: string): Promise<void> {
  const define = { 'import.meta.dirname': JSON.stringify(join(root, 'bench')) };
  await build({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    define,
    logLevel: 'warning',
  });
}

/** Time and memory of importing the client, bundled beside the server as it is published. */
async function measureImport(): Promise<void> {
  await build({
    entryPoints: { client: join(root, 'src/client/index.ts'), server: join(root, 'src/cluster/index.ts') },
    outdir: join(folder, 'published'),
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minify: true,
    keepNames: true,
    define: { KEELSON_VERSION: '""' },
    logLevel: 'warning',
  });
  const program = join(folder, 'import.mjs');
  await writeFile(
    program,
    `const rss = process.memoryUsage.rss();
const at = performance.now();
await import('./published/client.mjs');
console.log(JSON.stringify({ ms: performance.now() - at, mb: (process.memoryUsage.rss() - rss) / 1e6 }));`,
  );
  const runs = Array.from(
    { length: rounds * 2 + 1 },
    () => JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as { ms: number; mb: number },
  );
  const figures = `${median(runs.map(({ ms }) => ms)).toFixed(1)} ms, ${median(runs.map(({ mb }) => mb)).toFixed(1)} MB resident`;
  print('import keelson/client', figures);
}

interface Measured {
  readonly objects: number;
  readonly syncMs: number;
  readonly cpuMicrosPerEvent: number;
  readonly heapMB: number;
  readonly rssMB: number;
  readonly eventsPerSecond: number;
}

async function startServer(
  objects: string,
): Promise<{ readonly child: ChildProcess; readonly port: number; readonly bytes: number }> {
  const program = join(folder, 'server.mjs');
  await bundle('bench/client-server.ts', program);
  const child = fork(program, [objects]);
  const [{ port, bytes }] = (await once(child, 'message')) as [{ port: number; bytes: number }];
  return { child, port, bytes };
}

async function measureInformer(port: number, mode: string, changes: number): Promise<Measured> {
  const child = fork(join(folder, 'informer.mjs'), [String(port), mode, String(changes)], {
    execArgv: ['--expose-gc'],
  });
  const [measured] = (await once(child, 'message')) as [Measured];
  return measured;
}

try {
  await measureImport();
  await bundle('bench/client-informer.ts', join(folder, 'informer.mjs'));
  const large = await startServer(args.objects);
  print('a pod', `${large.bytes} bytes of JSON`);
  for (const [mode, what] of [
    ['whole', 'whole objects'],
    ['default', 'without managedFields (the default)'],
    ['metadata', 'metadata only'],
  ] as const) {
    const { heapMB, rssMB, syncMs, objects } = await measureInformer(large.port, mode, 0);
    print(
      `informer, ${objects} pods, ${what}`,
      `${heapMB.toFixed(0)} MB heap, ${rssMB.toFixed(0)} MB resident, synced in ${(syncMs / 1000).toFixed(2)} s`,
    );
  }
  large.child.disconnect();
  const small = await startServer('1000');
  const runs: Measured[] = [];
  for (let round = 0; round < rounds; round++) runs.push(await measureInformer(small.port, 'default', 20_000));
  const perSecond = Math.round(median(runs.map((run) => run.eventsPerSecond)));
  const cpuMicros = median(runs.map((run) => run.cpuMicrosPerEvent)).toFixed(0);
  print('watch events to a handler', `${perSecond} a second beside the server, ${cpuMicros} µs of CPU each`);
  small.child.disconnect();
} finally {
  await rm(folder, { recursive: true, force: true });
}
