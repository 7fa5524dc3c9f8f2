// `npm run peers [-- NAME... --list --jobs N]`: builds the real programs that suites and benchmarks run beside Keelson.
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPeer } from './build-peer.ts';
import { type Peer, peerGroups, peerNamed, peers } from './catalog.ts';
import { peersFolder } from './find-peer.ts';
import { isBuilt, stampOf, stampPath } from './stamp.ts';

const source = import.meta.dirname;
const PROGRESS_MS = 15_000;
const USAGE = `usage: npm run peers [-- NAME... --list --jobs N]

Builds into $KEELSON_PEERS, or keelson/peers in the user's cache; what is there and of the right version is kept.
  NAME      A peer, or a group of them: ${Object.keys(peerGroups).join(', ')} (default: all)
  --list    List the peers, build nothing
  --jobs N  Compilers at a time (default 2)`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { list: { type: 'boolean' }, jobs: { type: 'string', default: '2' }, help: { type: 'boolean' } },
    allowPositionals: true,
  });
  const names = positionals.flatMap((name) => peerGroups[name] ?? [name]);
  const unknown = names.filter((name) => peerNamed(name) === undefined);
  const jobs = Number(values.jobs);
  if (values.help === true || unknown.length > 0 || !Number.isInteger(jobs) || jobs < 1) {
    if (unknown.length > 0)
      console.error(
        `unknown: ${unknown.join(', ')}; known: ${[...Object.keys(peerGroups), ...peers.map(({ name }) => name)].join(', ')}\n`,
      );
    console.error(USAGE);
    return values.help === true ? 0 : 2;
  }
  const wanted = names.length === 0 ? peers : names.flatMap((name) => peerNamed(name) ?? []);
  const folder = peersFolder();
  if (values.list === true) return list(wanted, folder);
  const problem = goProblem();
  if (problem !== undefined) {
    console.error(`peers are not built: ${problem}`);
    return 1;
  }
  return buildAll(wanted, { folder, jobs });
}

async function list(wanted: readonly Peer[], folder: string): Promise<number> {
  console.log(folder);
  for (const peer of wanted) {
    const path = join(folder, peer.name);
    const isCurrent = await isBuilt(peer, { folder, stamp: await stampOf(peer, source) });
    const state = isCurrent
      ? `built, ${megabytes(path)} MB`
      : existsSync(path)
        ? 'there, not built by this recipe'
        : 'missing';
    console.log(`  ${peer.name.padEnd(24)} ${peer.version.padEnd(8)} ${state}`);
  }
  return 0;
}

async function buildAll(wanted: readonly Peer[], options: { folder: string; jobs: number }): Promise<number> {
  await mkdir(options.folder, { recursive: true });
  const failures: string[] = [];
  for (const [index, peer] of wanted.entries()) {
    const label = `[${index + 1}/${wanted.length}] ${peer.name} ${peer.version}`;
    try {
      await buildOne(peer, label, options);
    } catch (error) {
      failures.push(peer.name);
      console.error(`${label}: failed\n${(error as Error).message}`);
    }
  }
  console.log(failures.length === 0 ? `all in ${options.folder}` : `not built: ${failures.join(', ')}`);
  return failures.length === 0 ? 0 : 1;
}

async function buildOne(peer: Peer, label: string, options: { folder: string; jobs: number }): Promise<void> {
  const { folder, jobs } = options;
  const stamp = await stampOf(peer, source);
  if (await isBuilt(peer, { folder, stamp })) {
    console.log(`${label}: there already`);
    return;
  }
  console.log(`${label}: building, about ${peer.minutes} min on two cores from nothing`);
  const started = performance.now();
  const seconds = (): number => Math.round((performance.now() - started) / 1000);
  let compiled = 0;
  let latest = '';
  const ticker = setInterval(
    () => console.log(`  ${seconds()} s, ${compiled} packages${latest === '' ? '' : `, ${latest}`}`),
    PROGRESS_MS,
  );
  const progress = (line: string): void => {
    if (!line.startsWith('go: ')) compiled += 1;
    latest = line;
  };
  try {
    await buildPeer(peer, { source, folder, jobs, progress });
  } finally {
    clearInterval(ticker);
  }
  await mkdir(dirname(stampPath(peer, folder)), { recursive: true });
  await writeFile(stampPath(peer, folder), stamp);
  console.log(`${label}: done in ${seconds()} s, ${megabytes(join(folder, peer.name))} MB`);
}

/** Why Go cannot build the peers here; undefined when it can. */
function goProblem(): string | undefined {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  if (status !== 0) return 'Go is not installed; version 1.26 or later is needed';
  const [, major = 0, minor = 0] = (/^go(\d+)\.(\d+)/.exec(stdout) ?? []).map(Number);
  return major > 1 || minor >= 26 ? undefined : `Go 1.26 or later is needed, ${stdout.trim()} is installed`;
}

function megabytes(path: string): number {
  return Math.round(statSync(path).size / 1e6);
}
