// `npm run interop:csi [-- --only sanity,sidecars,drivers]`: csi-sanity on drivers that are written with the kit, which needs root: volumes
// are mounted; the real sidecars on our API server beside ours; and a driver of other people on a simulated node.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findPeers } from '../../../peers/index.ts';
import { driveHostPath, judgeHostPath } from './drivers.ts';
import { compareSidecars, SIDECARS } from './sidecars.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const START_LIMIT_MS = 30_000;

/** What judges a driver, and how many of csi-sanity's 103 specs it must pass; the rest it skips, because the driver does not offer them. */
const drivers = [
  { name: 'examples/csi-directory', program: 'examples/csi-directory/main.ts', flags: [], passes: 56 },
  {
    name: 'a driver with every function',
    program: 'test/interop/csi/whole-driver.ts',
    flags: ['-csi.testnodevolumeattachlimit', '-csi.testvolumemutableparameters', 'mutable.yaml'],
    passes: 100,
  },
] as const;

/** What can be left out; each returns the number of problems. */
const parts: Readonly<Record<string, () => Promise<number>>> = {
  async sanity() {
    const peers = findPeers(['csi-sanity']);
    if (peers.paths === undefined || process.getuid?.() !== 0)
      return missing('csi-sanity', peers.paths === undefined ? peers.reason : 'it needs root');
    let problems = 0;
    for (const driver of drivers) problems += await judge(driver, peers.paths['csi-sanity']);
    return problems;
  },
  async sidecars() {
    const peers = findPeers(SIDECARS);
    if (peers.paths === undefined) return missing('sidecars', peers.reason);
    return compareSidecars(peers.paths, join(root, 'dist', 'keelson.js'));
  },
  async drivers() {
    const peers = findPeers(['hostpathplugin', 'kubectl']);
    if (peers.paths === undefined || process.getuid?.() !== 0)
      return missing('drivers', peers.paths === undefined ? peers.reason : 'it needs root');
    return (await driveHostPath(peers.paths)) + (await judgeHostPath(peers.paths));
  },
};

function missing(part: string, reason: string): number {
  console.error(`interop:csi does not run ${part}: ${reason}`);
  return 1;
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = values.only?.split(',') ?? Object.keys(parts);
const unknown = chosen.filter((part) => parts[part] === undefined);
if (unknown.length > 0) throw new Error(`--only has ${Object.keys(parts).join(', ')}, not ${unknown.join(', ')}`);
let problems = 0;
for (const part of chosen) problems += (await parts[part]?.()) ?? 0;
process.exitCode = problems === 0 ? 0 : 1;

async function judge({ name, program, flags, passes }: (typeof drivers)[number], sanity: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-csi-'));
  const socket = join(folder, 'csi.sock');
  const server = spawn(process.execPath, ['scripts/run.mjs', program, join(folder, 'volumes'), socket], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    for (let waited = 0; !existsSync(socket); waited += 100) {
      if (waited > START_LIMIT_MS || server.exitCode !== null) throw new Error(`${name} does not serve its socket`);
      await wait(100);
    }
    await writeFile(join(folder, 'mutable.yaml'), 'iops: "100"\n');
    await mkdir(join(folder, 'targets'));
    const makeFolder = join(folder, 'make-folder');
    await writeFile(makeFolder, `#!/bin/sh\nmktemp -d ${join(folder, 'targets')}/XXXXXX\n`);
    await chmod(makeFolder, 0o755);
    const paths = ['-csi.createmountpathcmd', makeFolder, '-csi.createstagingpathcmd', makeFolder];
    const args = ['-ginkgo.no-color', '-csi.endpoint', `unix://${socket}`, ...paths, ...flags];
    const child = spawn(sanity, args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    await once(child, 'close');
    const passed = Number(/(\d+) Passed/.exec(output)?.[1] ?? 0);
    const failures = [...new Set(output.match(/^\s*\[FAIL\].*$/gm) ?? [])];
    for (const failure of failures) console.log(failure);
    const isAsExpected = failures.length === 0 && passed >= passes;
    console.log(
      `${isAsExpected ? 'ok  ' : 'FAIL'} ${name}: ${/^.*Passed.*$/m.exec(output)?.[0] ?? output.slice(-2000)}`,
    );
    return isAsExpected ? 0 : 1;
  } finally {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}
