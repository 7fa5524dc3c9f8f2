import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CryptoRandom, RealClock } from '../src/base/index.ts';
import { clusterPki } from '../src/cluster/pki/cluster-pki.ts';
import { awaitReady } from './await-ready.ts';
import { Daemon } from './daemon.ts';
import { freePorts } from './free-ports.ts';
import { ADMIN_TOKEN, type RunningServer, TOKEN_FILE } from './running-server.ts';

export interface KeelsonOptions {
  /** The bundle to start; `dist/keelson.js` of the current folder when left out. */
  readonly bundle?: string;
  /** Flags of `keelson up` on top of ours. */
  readonly flags?: readonly string[];
  /** Flags of Node.js. */
  readonly nodeFlags?: readonly string[];
  /** Where data, keys and logs go, kept afterwards; its own folder that is removed at the end when left out. */
  readonly folder?: string;
  readonly signal?: AbortSignal;
}

/** `keelson up` as a process of its own on the durable store. Ready when it resolves; nothing is left when it rejects. */
export async function startKeelson(options: KeelsonOptions = {}): Promise<RunningServer> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'keelson-up-')));
  await mkdir(folder, { recursive: true });
  const [port = 0] = await freePorts(1);
  // The keys that `up` finds in its data folder are the ones it uses: made here, so that the authority is known beforehand.
  const { authority } = await clusterPki({
    clock: new RealClock(),
    random: new CryptoRandom(),
    servingNames: [],
    folder: join(folder, 'pki'),
  });
  const kubeconfig = join(folder, 'kubeconfig');
  await rm(kubeconfig, { force: true }); // that of an earlier server in this folder names another port
  const tokens = join(folder, 'tokens.csv');
  await writeFile(tokens, TOKEN_FILE, { mode: 0o600 });
  const started = performance.now();
  const args = [
    ...(options.nodeFlags ?? []),
    options.bundle ?? join(process.cwd(), 'dist', 'keelson.js'),
    'up',
    `--data-dir=${folder}`,
    `--port=${port}`,
    `--kubeconfig-out=${kubeconfig}`,
    `--token-auth-file=${tokens}`,
    '--simulated-metrics=false', // the servers that it is compared with have no such group
    ...(options.flags ?? []),
  ];
  const start = (): Daemon => new Daemon(process.execPath, args, { logPath: join(folder, 'keelson.log') });
  let daemon = start();
  const stop = async (): Promise<void> => {
    await daemon.stop();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  };
  const url = `https://127.0.0.1:${port}`;
  try {
    const daemons = [daemon];
    const certificateAuthority = authority.certificate;
    const ready = (): Promise<unknown> =>
      awaitReady(url, { certificateAuthority, token: ADMIN_TOKEN, daemons, signal: options.signal });
    await ready();
    while (!existsSync(kubeconfig)) {
      if (daemon.failure !== undefined) throw new Error(daemon.failure);
      await sleep(5, undefined, { signal: options.signal }); // it is written, in one step, once the server listens
    }
    const startMs = performance.now() - started;
    const restartKilled = async (): Promise<void> => {
      process.kill(daemon.pid, 'SIGKILL');
      await daemon.stop();
      daemon = start();
      daemons[0] = daemon;
      await ready();
    };
    const dispose = { stop, [Symbol.asyncDispose]: stop };
    return { url, kubeconfig, token: ADMIN_TOKEN, folder, daemons, startMs, restartKilled, ...dispose };
  } catch (error) {
    await stop();
    throw error;
  }
}
