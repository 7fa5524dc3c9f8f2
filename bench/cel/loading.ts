import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What the published module costs a process: processor time in milliseconds, memory in megabytes. */
export interface Loading {
  readonly emptyMs: number;
  readonly importMs: number;
  readonly heapMb: number;
  readonly firstMs: number;
  readonly secondMs: number;
}

const PROGRAM = `
const used = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
const step = async (work) => { const before = used(); const result = await work(); return [used() - before, result]; };
const [emptyMs] = await step(() => import('EMPTY'));
globalThis.gc();
const heap = process.memoryUsage().heapUsed;
const [importMs, cel] = await step(() => import('MODULE'));
globalThis.gc();
const heapMb = (process.memoryUsage().heapUsed - heap) / 1e6;
const run = (text) => cel.baseEnvironment().compile(text).expression.program().evaluate({});
const [firstMs] = await step(() => run("[1, 2].all(x, x > 0)"));
const [secondMs] = await step(() => run("{'a': 1}.exists(k, k == 'b')"));
console.log(JSON.stringify({ emptyMs, importMs, heapMb, firstMs, secondMs }));
`;

/** Bundles the module as it is published and loads it in processes of its own; the medians. */
export async function measureLoading(source: string, rounds: number): Promise<Loading> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-cel-load-'));
  try {
    const [module, empty, program] = ['cel.mjs', 'empty.mjs', 'program.mjs'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    await build({
      entryPoints: [source],
      outfile: module,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      minify: true,
      logLevel: 'error',
    });
    writeFileSync(empty, 'export {};');
    const text = PROGRAM.replace('EMPTY', pathToFileURL(empty).href).replace('MODULE', pathToFileURL(module).href);
    writeFileSync(program, text);
    return median(Array.from({ length: rounds }, () => load(program)));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function load(program: string): Loading {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`Cannot load the module: ${stderr}`);
  return JSON.parse(stdout) as Loading;
}

function median(all: readonly Loading[]): Loading {
  const of = (key: keyof Loading): number =>
    all.map((each) => each[key]).sort((a, b) => a - b)[Math.floor(all.length / 2)] as number;
  return {
    emptyMs: of('emptyMs'),
    importMs: of('importMs'),
    heapMb: of('heapMb'),
    firstMs: of('firstMs'),
    secondMs: of('secondMs'),
  };
}
