import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, runCommand } from '../toolchain.ts';
import type { Suite } from './suites.ts';
import { ginkgoOutcomes, goTestOutcomes, type TestOutcomes, wasStopped } from './test-outcomes.ts';

const MINUTE_MS = 60_000;
/** A suite that takes longer is stopped, and reports how far it came. */
export const SUITE_MINUTES = 25;

/** A package whose tests are compiled. */
export interface CompiledPackage {
  readonly folder: string;
  readonly binary: string;
}

/** Where modules and compiled tests are kept, so that only the first run takes long. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  const cache = environment['XDG_CACHE_HOME'] ?? '';
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'keelson', 'envtest-suites');
}

/** The source of a suite: a copy that can be written to, for what comes from the module proxy. */
export async function sourceOf({ name, module, version }: Suite, cache: string, own: string): Promise<string> {
  if (module === undefined || version === undefined) return own;
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  await mkdir(cache, { recursive: true });
  const { stdout, stderr, code } = await runCommand(['go', 'mod', 'download', '-json', `${module}@${version}`], {
    cwd: cache,
    limitMs: 10 * MINUTE_MS,
  });
  if (code !== 0) throw new Error(`Cannot download ${module}@${version}: ${stderr || stdout}`);
  const { Dir } = JSON.parse(stdout) as { readonly Dir: string };
  await cp(Dir, folder, { recursive: true });
  await makeWritable(folder);
  return folder;
}

/** Modules are read-only, and the archives they come in know nothing of programs. */
async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const isProgram = entry.isDirectory() || entry.name.endsWith('.sh');
    await chmod(join(entry.parentPath, entry.name), isProgram ? 0o755 : 0o644);
  }
}

export async function compile(source: string, path: string, cache: string): Promise<CompiledPackage> {
  const folder = join(source, path);
  const binary = join(cache, 'bin', `${source.split('/').pop() ?? ''}.${path.replaceAll('/', '-')}.test`);
  await mkdir(join(cache, 'bin'), { recursive: true });
  await build(['go', 'test', '-c', '-o', binary, `./${path}`], { cwd: source, limitMs: 30 * MINUTE_MS });
  return { folder, binary };
}

export interface PackageRun {
  readonly outcomes: TestOutcomes;
  readonly seconds: number;
  /** It was stopped after `SUITE_MINUTES`. */
  readonly isStopped: boolean;
  /** Time that envtest itself took, where the suite reports it. */
  readonly startMs?: number;
}

/** Runs the tests of a package with the programs in a folder. */
export async function runPackage(
  { folder, binary }: CompiledPackage,
  environment: Readonly<Record<string, string>>,
): Promise<PackageRun> {
  const scratch = await mkdtemp(join(tmpdir(), 'keelson-envtest-'));
  const report = join(scratch, 'report.json');
  try {
    const began = performance.now();
    const ginkgo = [`json-report=${report}`, `timeout=${SUITE_MINUTES}m`, 'no-color', 'randomize-all=false'];
    const flags = [...ginkgo.map((flag) => `--ginkgo.${flag}`), '-test.v'];
    const run = { cwd: folder, environment, limitMs: (SUITE_MINUTES + 3) * MINUTE_MS };
    let ended = await runCommand([binary, ...flags], run);
    if (
      ended.stdout.includes('flag provided but not defined') ||
      ended.stderr.includes('flag provided but not defined')
    )
      ended = await runCommand([binary, '-test.v'], run); // tests without Ginkgo
    const seconds = (performance.now() - began) / 1000;
    const outcomes = new Map(goTestOutcomes(ended.stdout));
    const ginkgoReport = existsSync(report) ? await readFile(report, 'utf8') : '[]';
    for (const [name, state] of ginkgoOutcomes(ginkgoReport)) outcomes.set(name, state);
    const isStopped = ended.code === null || wasStopped(ginkgoReport);
    const startMs = /envtest started in (\d+) ms/.exec(ended.stdout)?.[1];
    return { outcomes, seconds, isStopped, ...(startMs === undefined ? {} : { startMs: Number(startMs) }) };
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
