import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a cluster costs that nobody looks at. */
export interface IdleCost {
  readonly readyMs: number;
  readonly rssMb: number;
  /** Processor time in a minute. */
  readonly cpuMsPerMinute: number;
}

const SETTLE_MS = 10_000;
const MEASURE_MS = 20_000;
const TICK_MS = 10;
const KB_PER_MB = 1024;

/** Starts `keelson up` with these flags, leaves it alone and measures it. On Linux only. */
export async function idleCost(program: string, flags: readonly string[]): Promise<IdleCost> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-idle-'));
  const started = performance.now();
  const own = ['up', '--in-memory', '--port=0', `--kubeconfig-out=${join(folder, 'kubeconfig')}`];
  const child = spawn(process.execPath, [program, ...own, ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    const ready = new Promise<number>((resolve) => {
      for (const stream of [child.stdout, child.stderr])
        createInterface(stream).on('line', (line) => {
          if (line.startsWith('ready ')) resolve(performance.now() - started);
        });
    });
    const readyMs = await ready;
    await sleep(SETTLE_MS);
    const before = await cpuMs(child.pid ?? 0);
    await sleep(MEASURE_MS);
    const after = await cpuMs(child.pid ?? 0);
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
    const rssMb = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / KB_PER_MB;
    return { readyMs, rssMb, cpuMsPerMinute: ((after - before) * 60_000) / MEASURE_MS };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  }
}

async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * TICK_MS;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
