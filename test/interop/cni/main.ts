// `npm run interop:cni [-- --only PART,… --plugin NAME,…]`: our runner beside libcni's, the suite for plugins on planted faults, and the CNI
// project's own plugins under both.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers, peersFolder, unpackDebian, whyNoDebian } from '../../../peers/index.ts';
import { killPools } from './killed-pools.ts';
import { judgePlantedFaults } from './planted-faults.ts';
import { chainRealPlugins, judgeRealPlugins, realPlugins } from './real-plugins.ts';
import { compareRuns } from './recorded-runs.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const { values } = parseArgs({ options: { only: { type: 'string' }, plugin: { type: 'string' } } });
const wantedPlugins = values.plugin?.split(',');
const isWanted = (type: string): boolean => wantedPlugins?.includes(type) ?? true;
const print = (line: string): void => console.log(line);

const parts: Readonly<Record<string, () => Promise<readonly string[]>>> = {
  recorded: () =>
    withPeer('cnitool', (cnitool) =>
      compareRuns({ cnitool, keelson: [process.execPath, join(root, 'dist', 'keelson.js'), 'cni'] }, print),
    ),
  pools: () => killPools(print),
  faults: () => judgePlantedFaults(print),
  chains: () => withReleases((folder, release) => chainRealPlugins({ folder, release, print, isWanted })),
  plugins: () => withReleases((folder, release) => judgeRealPlugins({ folder, release, print, isWanted })),
};

if (process.platform !== 'linux' || process.getuid?.() !== 0) {
  console.error('interop:cni does not run: it needs Linux and root');
  process.exit(1);
}
const wanted = values.only?.split(',') ?? Object.keys(parts);
const problems: string[] = [];
for (const name of wanted) {
  const part = parts[name];
  if (part === undefined) throw new Error(`There is no part "${name}": ${Object.keys(parts).join(', ')}`);
  print(`# ${name}`);
  problems.push(...(await part()));
}
for (const problem of problems) console.error(`PROBLEM ${problem}`);
print(`interop:cni: ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;

async function withPeer(name: string, use: (path: string) => Promise<readonly string[]>): Promise<readonly string[]> {
  const peer = findPeers([name]);
  return peer.paths === undefined ? [`${name}: ${peer.reason}`] : use(peer.paths[name] ?? '');
}

/** The newest release from the Go proxy, and Debian's. */
async function withReleases(
  use: (folder: string, release: string) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  const folder = join(peersFolder(), 'cni');
  const missing = realPlugins.map(({ type }) => type).filter((type) => !existsSync(join(folder, type)));
  if (missing.length > 0) print(`skip v1.9.1: npm run peers -- ${missing.map((type) => `cni/${type}`).join(' ')}`);
  else found.push(...(await use(folder, 'v1.9.1')));
  const reason = whyNoDebian();
  if (reason !== undefined) {
    print(`skip Debian's: ${reason}`);
    return found;
  }
  const debian = join(peersFolder(), 'debian', 'containernetworking-plugins');
  await unpackDebian(['containernetworking-plugins'], debian, { print });
  found.push(...(await use(join(debian, 'usr', 'lib', 'cni'), 'Debian')));
  return found;
}
