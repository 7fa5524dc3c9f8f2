import { build } from 'esbuild';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededRandom } from '../../../src/base/index.ts';
import { addressPool } from '../../../src/cni/published.ts';

const ROUNDS = 10;
const AT_ONCE = 12;
const RANGES = [[{ subnet: '10.5.0.0/24' }], [{ subnet: 'fd05::/64' }]];
const pool = join(import.meta.dirname, '..', '..', '..', 'src', 'cni', 'published.ts');

/** Kills processes while they allocate addresses from one pool; returns what is not as it must be. */
export async function killPools(print: (line: string) => void, seed = 1): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-killed-pools-'));
  const random = new SeededRandom(seed);
  const problems: string[] = [];
  let [killed, ended] = [0, 0];
  try {
    const program = await allocator(folder);
    const state = join(folder, 'pool');
    const owners = new Map<string, string>();
    for (let round = 0; round < ROUNDS; round++) {
      const started = Array.from({ length: AT_ONCE }, (_, at) => start(program, [state, `c${round}-${at}`]));
      const ends = started.map(async ({ child, printed }, at) => {
        if (random.int(2) === 0) await killLater(child, random.int(60));
        const text = await printed;
        if (text === undefined) killed += 1;
        else for (const address of text.trim().split(' ')) note(owners, address, `c${round}-${at}`, problems);
        if (text !== undefined) ended += 1;
      });
      await Promise.all(ends);
    }
    problems.push(...(await damaged(state)));
    const survivors = [...new Set(owners.values())].map((containerID) => ({ containerID, ifname: 'eth0' }));
    await addressPool({ folder: state, ranges: RANGES }).collect(survivors);
    const left = (await readdir(state)).filter((name) => !name.startsWith('last-'));
    if (left.length !== owners.size) problems.push(`${left.length} files are left of ${owners.size} addresses in use`);
    print(
      `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${killed} processes killed and ${ended} ended while they allocated addresses`,
    );
    return problems;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A program that allocates addresses and prints them. */
async function allocator(folder: string): Promise<string> {
  const [source, outfile] = [join(folder, 'allocator.ts'), join(folder, 'allocator.cjs')];
  await writeFile(
    source,
    `import { addressPool } from ${JSON.stringify(pool)};
     const [, , folder = '', containerId = ''] = process.argv;
     const pool = addressPool({ folder, ranges: ${JSON.stringify(RANGES)} });
     process.stdout.write('started\\n');
     void pool.allocate({ containerId, ifName: 'eth0' }).then((ips) => console.log(ips.map(({ address }) => address).join(' ')));`,
  );
  await build({ entryPoints: [source], outfile, bundle: true, platform: 'node', format: 'cjs', target: 'node20' });
  return outfile;
}

interface Started {
  readonly child: ChildProcess;
  /** The addresses that it printed; undefined when it was killed before. */
  readonly printed: Promise<string | undefined>;
}

function start(program: string, args: readonly string[]): Started {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const printed = once(child, 'close').then(() => (text.includes('/') ? text.replace('started\n', '') : undefined));
  return { child, printed };
}

/** Ends the process some turns after it has begun to work. */
async function killLater(child: ChildProcess, turns: number): Promise<void> {
  if (child.stdout === null) return;
  await once(child.stdout, 'data');
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => void setImmediate(resolve));
  child.kill('SIGKILL');
}

function note(owners: Map<string, string>, address: string, owner: string, problems: string[]): void {
  const other = owners.get(address);
  if (other !== undefined) problems.push(`${address} was given to ${other} and to ${owner}`);
  owners.set(address, owner);
}

/** Files of addresses without a whole owner. */
async function damaged(state: string): Promise<readonly string[]> {
  const names = (await readdir(state)).filter((name) => !name.startsWith('.') && !name.startsWith('last-'));
  const texts = await Promise.all(names.map((name) => readFile(join(state, name), 'utf8')));
  return names
    .filter((_, at) => !/^c\d+-\d+\neth0$/.test(texts[at] ?? ''))
    .map((name) => `the file of ${name} is damaged`);
}
