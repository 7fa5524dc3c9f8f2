import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitReady } from '../../peers/await-ready.ts';
import { ADMIN_TOKEN, Daemon, freePorts, type RunningServer, startKube } from '../../peers/index.ts';
import { TOKEN_FILE } from '../../peers/running-server.ts';
import { CryptoRandom, RealClock } from '../../src/base/index.ts';
import { clusterPki } from '../../src/cluster/pki/cluster-pki.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';

/** An API server under test, ours or theirs, and what its processes use. */
export interface ServerUnderTest extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  /** From the start of its first process until it said that it is ready. */
  readonly startMs: number;
  /** Resident memory of all its processes. */
  rssMb(): number;
  /** Processor time that all its processes have used. */
  cpuMs(): number;
}

export const OURS = 'keelson';
export const PEER = 'kube-apiserver + etcd';
export type ServerKind = typeof OURS | typeof PEER;

export interface ServerOptions {
  /** Where its data is, and stays; default: a temporary folder that is removed at the end. */
  readonly folder?: string;
  /** Flags of our server on top of those that every run has. */
  readonly flags?: readonly string[];
}

export function startServer(kind: ServerKind, options: ServerOptions): Promise<ServerUnderTest> {
  return kind === OURS ? startOurs(options) : startPeer(options);
}

/** Our API server alone on the durable store. */
export async function startOurs({ folder, flags: more = [] }: ServerOptions = {}): Promise<ServerUnderTest> {
  const place = folder ?? (await mkdtemp(join(tmpdir(), 'keelson-bench-')));
  await mkdir(place, { recursive: true });
  const [port = 0] = await freePorts(1);
  const keys = join(place, 'pki');
  const { authority } = await clusterPki({
    clock: new RealClock(),
    random: new CryptoRandom(),
    servingNames: ['127.0.0.1'],
    folder: keys,
  });
  const tokens = join(place, 'tokens.csv');
  await writeFile(tokens, TOKEN_FILE, { mode: 0o600 });
  const started = performance.now();
  const flags = [
    `--data-dir=${place}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${keys}`,
    `--token-auth-file=${tokens}`,
    ...more,
  ];
  const daemon = new Daemon(process.execPath, [join(process.cwd(), 'dist', 'keelson.js'), 'apiserver', ...flags], {
    logPath: join(place, 'keelson.log'),
  });
  const stop = async (): Promise<void> => {
    await daemon.stop();
    if (folder === undefined) await rm(place, { recursive: true, force: true });
  };
  const url = `https://127.0.0.1:${port}`;
  try {
    await awaitReady(url, { certificateAuthority: authority.certificate, token: ADMIN_TOKEN, daemons: [daemon] });
  } catch (error) {
    await stop();
    throw error;
  }
  const startMs = performance.now() - started;
  return underTest(OURS, { url, startMs, daemons: [daemon], [Symbol.asyncDispose]: stop });
}

export async function startPeer({ folder }: ServerOptions = {}): Promise<ServerUnderTest> {
  return underTest(PEER, await startKube({ folder }));
}

function underTest(
  name: string,
  running: Pick<RunningServer, 'url' | 'startMs' | 'daemons'> & AsyncDisposable,
): ServerUnderTest {
  const { url, startMs, daemons } = running;
  const sum = (of: (pid: number) => number): number => daemons.reduce((total, { pid }) => total + of(pid), 0);
  return {
    name,
    url,
    startMs,
    rssMb: () => sum(rssMbOf),
    cpuMs: () => sum(cpuMsOf),
    async [Symbol.asyncDispose]() {
      await running[Symbol.asyncDispose]();
    },
  };
}
