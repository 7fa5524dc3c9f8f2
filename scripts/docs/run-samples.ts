import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

/** A sample that was written to a file. */
export interface WrittenSample {
  /** Where it stands, for messages. */
  readonly from: string;
  readonly path: string;
  /** YAML of what is to be there before. */
  readonly given: string;
}

/** Programs that run samples at the same time. Each takes seconds of processor time to start its first cluster. */
const PROGRAMS = 2;

/** Runs samples; gives what went wrong. */
export async function runSamples(
  samples: readonly WrittenSample[],
  { root, folder }: { readonly root: string; readonly folder: string },
): Promise<readonly string[]> {
  const shares = Array.from({ length: PROGRAMS }, (_, share) =>
    samples.filter((_sample, at) => at % PROGRAMS === share),
  );
  const entries = shares.map((_, share) => join(folder, `main-${share}.ts`));
  for (const [at, entry] of entries.entries()) await writeFile(entry, mainOf(shares[at] ?? [], root));
  const outdir = join(folder, 'out');
  await build({
    entryPoints: entries,
    outdir,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
    alias: { ...(await aliases(root)), vitest: join(root, 'scripts', 'docs', 'vitest-of-samples.ts') },
  });
  const problems = await Promise.all(entries.map((_, at) => runProgram(join(outdir, `main-${at}.mjs`), folder)));
  return problems.flat();
}

/** `keelson/…` is this repository, as tsconfig.json says. */
async function aliases(root: string): Promise<Record<string, string>> {
  const { compilerOptions } = JSON.parse(await readFile(join(root, 'tsconfig.json'), 'utf8')) as {
    readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly string[]>> };
  };
  const plain = Object.entries(compilerOptions.paths).filter(([name]) => !name.includes('*'));
  return Object.fromEntries(plain.map(([name, [path = '']]) => [name, resolve(root, path)]));
}

function mainOf(samples: readonly WrittenSample[], root: string): string {
  const steps = samples.map(({ from, path, given }) => {
    const load = `() => import(${JSON.stringify(path)})`;
    return `await step(${JSON.stringify(from)}, ${load}, ${JSON.stringify(given)});`;
  });
  return `
import { loadAll } from 'js-yaml';
import { runSample } from ${JSON.stringify(join(root, 'scripts', 'docs', 'run-sample.ts'))};
async function step(from, load, given) {
  try {
    await runSample(load, async (cluster) => {
      for (const object of given === '' ? [] : loadAll(given)) {
        const kind = await cluster.client.dynamic(object.apiVersion, object.kind);
        const { namespace } = object.metadata;
        await (namespace === undefined ? kind : kind.namespace(namespace)).create(object);
        await cluster.settle();
      }
    });
    console.error('ok ' + from);
  } catch (error) {
    console.error('PROBLEM ' + JSON.stringify(from + ': sample fails when it is run: ' + (error?.message ?? error)));
  }
}
${steps.join('\n')}
process.exit(0);
`;
}

/** The program prints a line for each sample; what the samples print themselves is not looked at. */
async function runProgram(path: string, folder: string): Promise<readonly string[]> {
  const child = spawn(process.execPath, [path], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const problems: string[] = [];
  const rest: string[] = [];
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.startsWith('PROBLEM ')) problems.push(JSON.parse(line.slice('PROBLEM '.length)) as string);
      else rest.push(line);
    }
  })();
  const [code] = (await once(child, 'close')) as [number | null];
  await reading;
  if (code !== 0) problems.push(`running the samples ended with ${code}:\n${rest.slice(-20).join('\n')}`);
  return problems;
}
