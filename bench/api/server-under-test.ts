import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { awaitReady } from '../../peers/await-ready.ts';
import { ADMIN_TOKEN, Daemon, freePorts, type RunningServer, startKube } from '../../peers/index.ts';
import { TOKEN_FILE } from '../../peers/running-server.ts';
import { CryptoRandom, RealClock } from '../../src/base/index.ts';
import { clusterPki } from '../../src/cluster/pki/cluster-pki.ts';
import { cpuMsOf, rssMbOf, withChildren } from '../process-use.ts';

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

/** Our API server alone on the durable store; what is in `folder` is there again. */
export async function startOurs(folder?: string, more: readonly string[] = []): Promise<ServerUnderTest> {
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
  const url = `https://127.0.0.1:${port}`;
  await awaitReady(url, { certificateAuthority: authority.certificate, token: ADMIN_TOKEN, daemons: [daemon] });
  const startMs = performance.now() - started;
  const stop = async (): Promise<void> => {
    await daemon.stop();
    if (folder === undefined) await rm(place, { recursive: true, force: true });
  };
  return underTest([OURS, ...more].join(' '), { url, startMs, daemons: [daemon], [Symbol.asyncDispose]: stop });
}

export async function startPeer(): Promise<ServerUnderTest> {
  return underTest(PEER, await startKube());
}

function underTest(
  name: string,
  running: Pick<RunningServer, 'url' | 'startMs' | 'daemons'> & AsyncDisposable,
): ServerUnderTest {
  const { url, startMs, daemons } = running;
  const sum = (of: (pid: number) => number): number =>
    daemons.flatMap(({ pid }) => withChildren(pid)).reduce((total, pid) => total + of(pid), 0);
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
