import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Daemon, findPeer, type RunningServer } from '../../peers/index.ts';
import type { Client } from '../../src/client/index.ts';
import { eventually } from '../../test/real-node/eventually.ts';
import { type ProxyName, startProxy } from '../../test/interop/proxy/proxies.ts';
import type { Measure, Report } from '../api/report.ts';
import { inTurns } from '../in-turns.ts';
import { median } from '../median.ts';
import { cpuMsOf, rssMbOf } from '../process-use.ts';
import { NAMESPACE, type ServiceCounts, serviceName, sliceOf } from './many-services.ts';

export interface ProxyBench extends ServiceCounts {
  readonly proxy: ProxyName;
  readonly client: Client;
  readonly server: RunningServer;
  readonly changes: number;
}

const METRICS = 'http://127.0.0.1:10249/metrics';
const LIMIT_MS = 300_000;
const LOOK_MS = 100;
/** Longer than the pause between two syncs. */
const PAUSE_MS = 2000;
const MANY = 1000;
const MANY_PER_SECOND = 100;
const TABLES: Readonly<Record<ProxyName, string>> = { 'keelson proxy': 'keelson-services', 'kube-proxy': 'kube-proxy' };

/** Starts a proxy, waits until everything is in the kernel, changes some of it, and removes the rules again. */
export async function measureProxy(report: Report, bench: ProxyBench): Promise<void> {
  const { proxy, server, node } = bench;
  const add = (name: string, unit: string, value: number): void => {
    const measure: Measure = { name, unit, better: 'lower', aim: { times: 1 } };
    report.add(proxy, measure, value);
  };
  const startMs = Date.now();
  {
    await using daemon = await startProxy(proxy, {
      folder: server.folder,
      kubeconfig: server.kubeconfig,
      node,
      configuration: {},
    });
    let mostMb = 0;
    const look = setInterval(() => (mostMb = Math.max(mostMb, rssMbOf(daemon.pid))), LOOK_MS);
    try {
      const syncedMs = await firstSync(daemon);
      checkKernel(bench);
      add('time to program', 's', (syncedMs - startMs) / 1000);
      add('processor time to program', 's', cpuMsOf(daemon.pid) / 1000);
      add('most memory while programming', 'MB', mostMb);
      await sleep(PAUSE_MS);
      add('memory afterwards', 'MB', rssMbOf(daemon.pid));
      await measureChanges(bench, daemon, add);
      await measureMany(bench, daemon, add);
      add('memory at the end', 'MB', rssMbOf(daemon.pid));
    } finally {
      clearInterval(look);
    }
  }
  cleanUp(proxy);
}

type Add = (name: string, unit: string, value: number) => void;

/** When the rules of both families were first synced. */
async function firstSync(daemon: Daemon): Promise<number> {
  return eventually(
    async () => {
      const times = await syncTimes();
      if (times.length < 2 || times.some((ms) => ms === 0)) throw new Error('no sync of both families yet');
      return Math.max(...times);
    },
    { what: 'the first sync', limitMs: LIMIT_MS, daemons: [daemon] },
  );
}

/** When the first sync after a time was done. */
async function syncedSince(sentMs: number, daemon: Daemon): Promise<number> {
  return eventually(
    async () => {
      const syncedMs = Math.max(...(await syncTimes()));
      if (syncedMs < sentMs) throw new Error('not synced yet');
      return syncedMs;
    },
    { what: 'a sync', limitMs: LIMIT_MS, daemons: [daemon] },
  );
}

/** When each family was last synced. */
async function syncTimes(): Promise<readonly number[]> {
  const text = await (await fetch(METRICS)).text();
  return [...text.matchAll(/^kubeproxy_sync_proxy_rules_last_timestamp_seconds\{.*\} (\S+)$/gm)].map(
    ([, seconds]) => Number(seconds) * 1000,
  );
}

/** Fails unless every Service is in the table. */
function checkKernel({ proxy, services }: ProxyBench): void {
  const text = execFileSync('nft', ['list', 'map', 'ip', TABLES[proxy], 'service-ips'], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const found = text.split('goto').length - 1;
  if (found < services) throw new Error(`only ${found} of ${services} Services are in the kernel`);
}

async function measureChanges(
  { client, endpoints, node, changes }: ProxyBench,
  daemon: Daemon,
  add: Add,
): Promise<void> {
  const slices = client.discovery.v1.endpointslices.namespace(NAMESPACE);
  const times: number[] = [];
  const cpuBefore = cpuMsOf(daemon.pid);
  for (let at = 0; at < changes; at++) {
    const { metadata } = await slices.get(serviceName(at));
    const slice = sliceOf(at, { count: endpoints, node, generation: 1 + (generation += 1) });
    const sentMs = Date.now();
    await slices.update({ ...slice, metadata: { ...slice.metadata, resourceVersion: metadata.resourceVersion } });
    await sleep(PAUSE_MS);
    times.push((await syncedSince(sentMs, daemon)) - sentMs);
  }
  add('one change', 'ms', median(times));
  add('processor time of one change', 'ms', (cpuMsOf(daemon.pid) - cpuBefore) / changes);
}

let generation = 0;

async function measureMany({ client, services, endpoints, node }: ProxyBench, daemon: Daemon, add: Add): Promise<void> {
  const slices = client.discovery.v1.endpointslices.namespace(NAMESPACE);
  generation += 1;
  const cpuBefore = cpuMsOf(daemon.pid);
  for (let done = 0; done < MANY; done += MANY_PER_SECOND) {
    const startMs = performance.now();
    await inTurns(MANY_PER_SECOND, async (index) => {
      const at = (done + index) % services;
      const { metadata } = await slices.get(serviceName(at));
      const slice = sliceOf(at, { count: endpoints, node, generation: 1 + generation });
      await slices.update({ ...slice, metadata: { ...slice.metadata, resourceVersion: metadata.resourceVersion } });
    });
    await sleep(Math.max(0, 1000 - (performance.now() - startMs)));
  }
  // The sync that ends next may have begun before; the one after it has everything.
  for (let at = 0; at < 2; at++) {
    const sentMs = Date.now();
    await touch(client, { endpoints, node });
    await syncedSince(sentMs, daemon);
  }
  add('processor time of 1,000 changes', 's', (cpuMsOf(daemon.pid) - cpuBefore) / 1000);
}

/** One change more. */
async function touch(client: Client, { endpoints, node }: Pick<ProxyBench, 'endpoints' | 'node'>): Promise<void> {
  const slices = client.discovery.v1.endpointslices.namespace(NAMESPACE);
  const { metadata } = await slices.get(serviceName(0));
  const slice = sliceOf(0, { count: endpoints, node, generation: 1 + (generation += 1) });
  await slices.update({ ...slice, metadata: { ...slice.metadata, resourceVersion: metadata.resourceVersion } });
}

function cleanUp(proxy: ProxyName): void {
  const [program = '', ...args] =
    proxy === 'kube-proxy'
      ? [findPeer('kube-proxy').path ?? '']
      : [process.execPath, join('dist', 'keelson.js'), 'proxy'];
  execFileSync(program, [...args, '--cleanup'], { stdio: 'ignore' });
}
