// npm run interop:envtest [-- --only REGEX --rounds N --out FILE]: suites of envtest, with Keelson's programs and with Kubernetes' own.
// Whole, it writes docs/reference/envtest.md, which takes about an hour; with `--only`, it prints what it finds, and writes a page if a flag names it.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { cpus, tmpdir, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers } from '../../../peers/index.ts';
import { whyMissing } from '../toolchain.ts';
import { type Comparison, differing, page, type StartTimes, unexplained } from './page.ts';
import { cacheFolder, compile, type CompiledPackage, runPackage, sourceOf } from './run-package.ts';
import { type Suite, suites } from './suites.ts';
import { count } from './test-outcomes.ts';

const { values: flags } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string', default: '7' }, out: { type: 'string' } },
});
const root = resolve(import.meta.dirname, '..', '..', '..');
const own = join(root, 'test', 'interop', 'programs', 'envtest');
const peers = findPeers<string>(['etcd', 'kube-apiserver', 'kubectl'], process.env);
const missing = whyMissing('go', ['version']) ?? (peers.paths === undefined ? peers.reason : undefined);
if (peers.paths === undefined || missing !== undefined) {
  console.log(`interop:envtest: skipped, ${missing}`);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), 'keelson-assets-'));
let failures = 0;
try {
  const real = await realAssets(peers.paths);
  const ours = ourAssets();
  const cache = cacheFolder(process.env);
  const comparisons: Comparison[] = [];
  const compiled = await compile(own, 'internal/controller', cache);
  const starts = await startTimes(compiled, { ours, real });
  const withControllers = await runPackage(compiled, { KUBEBUILDER_ASSETS: ours, KEELSON_CONTROLLERS: 'all' });
  const path = flags.out ?? join(root, 'docs', 'reference', 'envtest.md');
  for (const suite of suites) {
    comparisons.push(...(await compare(suite, { cache, ours, real })));
    const text = page(
      comparisons,
      { starts, withControllers },
      `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    );
    if (flags.out !== undefined || flags.only === undefined) await writeFile(path, text);
  }
  failures = comparisons.flatMap(unexplained).length + count(withControllers.outcomes, 'failed');
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

interface Assets {
  readonly ours: string;
  readonly real: string;
}

async function compare(suite: Suite, assets: Assets & { readonly cache: string }): Promise<Comparison[]> {
  const wanted = suite.packages.filter((path) => new RegExp(flags.only ?? '').test(`${suite.name}/${path}`));
  if (wanted.length === 0) return [];
  const source = await sourceOf(suite, assets.cache, own);
  const compared: Comparison[] = [];
  for (const path of wanted) {
    const compiled = await compile(source, path, assets.cache);
    const [ours, real] = [
      await runPackage(compiled, { KUBEBUILDER_ASSETS: assets.ours }),
      await runPackage(compiled, { KUBEBUILDER_ASSETS: assets.real }),
    ];
    compared.push({
      suite: suite.name,
      path,
      ...(suite.racing === undefined ? {} : { racing: suite.racing }),
      ours,
      real,
    });
    const passed = [ours, real].map(
      ({ outcomes, seconds }) => `${count(outcomes, 'passed')} in ${seconds.toFixed(1)} s`,
    );
    console.log(`${suite.name} ${path}: ${passed.join(', Kubernetes ')}`);
    for (const text of differing({ ours, real })) console.log(`  ${text}`);
  }
  return compared;
}

/** Alternately, so that whatever else the machine does falls on all alike. */
async function startTimes(compiled: CompiledPackage, { ours, real }: Assets): Promise<StartTimes> {
  const times = { real: [] as number[], alone: [] as number[], shared: [] as number[] };
  for (let round = 0; round < Number(flags.rounds); round++) {
    times.real.push(await startMs(compiled, { KUBEBUILDER_ASSETS: real }));
    times.alone.push(await startMs(compiled, { KUBEBUILDER_ASSETS: ours, KEELSON_SHARE: 'false' }));
    times.shared.push(await startMs(compiled, { KUBEBUILDER_ASSETS: ours }));
  }
  return times;
}

async function startMs(compiled: CompiledPackage, environment: Readonly<Record<string, string>>): Promise<number> {
  const { startMs: ms } = await runPackage(compiled, environment);
  if (ms === undefined) throw new Error('Cannot determine how long the start took: the suite did not start');
  return ms;
}

async function realAssets(paths: Readonly<Record<string, string>>): Promise<string> {
  for (const [name, path] of Object.entries(paths)) await symlink(path, join(folder, name));
  return folder;
}

function ourAssets(): string {
  const program = join(root, 'dist', 'keelson.js');
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, 'envtest', '--print', 'path'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`Cannot make the programs: ${stderr}`);
  return stdout.trim();
}
