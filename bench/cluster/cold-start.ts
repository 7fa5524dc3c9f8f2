import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Daemon, freePorts } from '../../peers/index.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';

export interface ColdStart {
  /** From the start of the process until `kubectl get nodes` said Ready. */
  readonly readyMs: number;
  readonly idleMb: number;
  /** Processor time used in the idle seconds, as a share of one core. */
  readonly idleCpu: number;
}

const IDLE_SECONDS = 20;

/** `keelson up` from the bundle, on the durable store, until kubectl sees a ready node; then how much it does when idle. */
export async function coldStart(): Promise<ColdStart> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-cold-'));
  try {
    return await startIn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function startIn(folder: string): Promise<ColdStart> {
  const kubeconfig = join(folder, 'kubeconfig');
  const [port = 0] = await freePorts(1);
  const started = performance.now();
  await using daemon = new Daemon(
    process.execPath,
    [join('dist', 'keelson.js'), 'up', `--data-dir=${folder}`, `--port=${port}`, `--kubeconfig-out=${kubeconfig}`],
    { logPath: join(folder, 'log') },
  );
  while (!isNodeReady(kubeconfig)) await sleep(5);
  const readyMs = performance.now() - started;
  await sleep(5000);
  const before = cpuMsOf(daemon.pid);
  await sleep(IDLE_SECONDS * 1000);
  const idleCpu = (cpuMsOf(daemon.pid) - before) / (IDLE_SECONDS * 1000);
  return { readyMs, idleMb: rssMbOf(daemon.pid), idleCpu };
}

function isNodeReady(kubeconfig: string): boolean {
  const { status, stdout } = spawnSync('kubectl', ['get', 'nodes', '--no-headers'], {
    env: { ...process.env, KUBECONFIG: kubeconfig, KUBECACHEDIR: `${kubeconfig}.cache` },
    encoding: 'utf8',
  });
  return status === 0 && / Ready /.test(stdout);
}
