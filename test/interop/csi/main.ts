// `npm run interop:csi`: csi-sanity on drivers that are written with the kit. Needs root: volumes are mounted.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findPeers } from '../../../peers/index.ts';

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

const peers = findPeers(['csi-sanity']);
if (peers.paths === undefined || process.getuid?.() !== 0) {
  console.error(`interop:csi does not run: ${peers.paths === undefined ? peers.reason : 'it needs root'}`);
  process.exitCode = 1;
} else {
  let problems = 0;
  for (const driver of drivers) problems += await judge(driver, peers.paths['csi-sanity']);
  process.exitCode = problems === 0 ? 0 : 1;
}

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
