import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { rssMbOf } from '../../bench/process-use.ts';
import { Daemon, findPeers, freePorts, startKeelson } from '../../peers/index.ts';
import { connect } from '../../src/client/index.ts';
import { Churn } from './churn.ts';
import { growthProblems, type Sample } from './growth.ts';

export interface RealTimeOptions {
  readonly minutes: number;
  readonly store: 'embedded' | 'etcd';
  readonly writesPerSecond: number;
  /** More flags for `keelson up`. */
  readonly flags: readonly string[];
}

const SAMPLE_MS = 10_000;
const REST_MS = 90_000;

/**
 * `keelson up` as a separate process under steady churn, in real time: prints its memory and the disk that its
 * store takes every minute, and once more after a rest. Answers with what has grown that should not have.
 */
export async function soakInRealTime(options: RealTimeOptions): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'keelson-soak-'));
  await using etcd = options.store === 'etcd' ? await startEtcd(join(folder, 'etcd')) : undefined;
  const flags = etcd === undefined ? options.flags : [`--etcd-servers=${etcd.url}`, ...options.flags];
  await using server = await startKeelson({ folder: join(folder, 'keelson'), flags });
  await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'soak' });
  const data = etcd?.data ?? join(server.folder, 'store');
  const pid = server.daemons.at(-1)?.pid ?? 0;
  const churn = new Churn(client, options.writesPerSecond);
  const stop = new AbortController();
  const running = churn.run(stop.signal);
  running.catch(() => stop.abort());
  const start = performance.now();
  const samples: Sample[] = [];
  const look = async (): Promise<Sample> => ({
    minute: (performance.now() - start) / 60_000,
    memoryMb: rssMbOf(pid),
    diskMb: await diskMbOf(data),
  });
  const print = ({ minute, memoryMb, diskMb }: Sample): void =>
    console.log(`| ${minute.toFixed(1)} | ${churn.writes} | ${Math.round(memoryMb)} | ${Math.round(diskMb)} |`);
  console.log('| minute | writes | memory, MB | disk, MB |\n| --- | --- | --- | --- |');
  const wanted = (options.minutes * 60_000) / SAMPLE_MS;
  while (samples.length < wanted && !stop.signal.aborted) {
    await sleep(SAMPLE_MS, undefined, { signal: stop.signal }).catch(() => undefined);
    const sample = await look();
    samples.push(sample);
    if (samples.length % 6 === 0) print(sample);
  }
  stop.abort();
  await running;
  await sleep(REST_MS);
  print(await look());
  await rm(folder, { recursive: true, force: true });
  return growthProblems(samples);
}

interface RunningEtcd extends AsyncDisposable {
  readonly url: string;
  readonly data: string;
}

async function startEtcd(data: string): Promise<RunningEtcd> {
  const found = findPeers(['etcd'], process.env);
  if (found.paths === undefined) throw new Error(`Cannot start etcd: ${found.reason}`);
  const [clientPort, peerPort] = await freePorts(2);
  const url = `http://127.0.0.1:${clientPort}`;
  const peerUrl = `http://127.0.0.1:${peerPort}`;
  const daemon = new Daemon(
    found.paths.etcd,
    [
      `--data-dir=${data}`,
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peerUrl}`,
      `--initial-advertise-peer-urls=${peerUrl}`,
      `--initial-cluster=default=${peerUrl}`,
      '--log-level=error',
    ],
    { logPath: `${data}.log` },
  );
  return { url, data, [Symbol.asyncDispose]: () => daemon.stop() };
}

/** What the files of a folder take of the disk, which is less than their length where they have holes. */
async function diskMbOf(folder: string): Promise<number> {
  let blocks = 0;
  for (const entry of await readdir(folder, { recursive: true }).catch(() => []))
    blocks += (await lstat(join(folder, entry)).catch(() => ({ blocks: 0 }))).blocks; // it may be gone by now
  return (blocks * 512) / 2 ** 20;
}
