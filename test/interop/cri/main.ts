// `npm run interop:cri [-- --skip-critest]`: crictl and critest on `keelson cri`, held against what is known.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { findPeers } from '../../../peers/index.ts';
import { runCrictl } from './crictl.ts';
import { runCritest } from './critest.ts';
import { knownReason } from './known-failures.ts';

const { values } = parseArgs({ options: { 'skip-critest': { type: 'boolean', default: false } } });
const peers = findPeers(['crictl', 'critest']);
if (peers.paths === undefined) {
  console.error(`interop:cri does not run: ${peers.reason}`);
  process.exitCode = 1;
} else {
  process.exitCode = (await judge(peers.paths)) === 0 ? 0 : 1;
}

/** The number of answers that are not as they must be. */
async function judge({ crictl, critest }: Readonly<Record<'crictl' | 'critest', string>>): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-interop-cri-'));
  const endpoint = `unix://${join(folder, 'cri.sock')}`;
  const root = join(import.meta.dirname, '..', '..', '..');
  const images = join(import.meta.dirname, 'images.yaml');
  const keelson = [join(root, 'dist', 'keelson.js'), 'cri', `--listen=${endpoint}`, `--images=${images}`];
  const server = spawn(process.execPath, keelson, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    await once(server.stdout, 'data');
    let problems = 0;
    const trials = await runCrictl(crictl, endpoint, join(folder, 'crictl'));
    for (const { name, problem } of trials) {
      if (problem !== undefined) problems += 1;
      console.log(`${problem === undefined ? 'ok  ' : 'FAIL'} ${name}${problem === undefined ? '' : `: ${problem}`}`);
    }
    console.log(`crictl: ${trials.length - problems} of ${trials.length} commands\n`);
    return problems + (values['skip-critest'] ? 0 : await judgeSpecs(critest, endpoint, join(folder, 'critest')));
  } finally {
    server.kill();
    await once(server, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

async function judgeSpecs(critest: string, endpoint: string, folder: string): Promise<number> {
  const specs = await runCritest(critest, endpoint, folder);
  const counts = new Map<string, number>();
  let problems = 0;
  for (const { name, state, message } of specs) {
    const reason = knownReason(name);
    const kind = state === 'failed' && reason !== undefined ? `failed, needs ${reason}` : state;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (state === 'failed' && reason === undefined) {
      problems += 1;
      console.log(`FAIL ${name}: ${message}`);
    }
    if (state === 'passed' && reason !== undefined) console.log(`now passes: ${name}`);
  }
  console.log(`critest: ${specs.length} specs`);
  for (const [kind, count] of counts) console.log(`  ${String(count).padStart(4)} ${kind}`);
  return problems;
}
