import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MetricRegistry } from '../base/index.ts';
import type { VersionInfo } from '../apiserver/index.ts';
import type { StorageOptions } from './storage-options.ts';

/** When the process started, in milliseconds since 1970. */
export const PROCESS_STARTED_AT_MS = performance.timeOrigin;

/** What the process uses, and what it is; read at each scrape. Figures that the system does not report are left out. */
export function processMetrics(metrics: MetricRegistry, version: VersionInfo): void {
  const startSeconds = PROCESS_STARTED_AT_MS / 1000;
  const gauge = (name: string, help: string, read: () => number | undefined): void =>
    metrics.callback({ name, help, labels: NO_LABELS }, () => samplesOf(read()));
  metrics.callback(
    { name: 'process_cpu_seconds_total', help: 'Seconds of processor time used.', type: 'counter' },
    () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  );
  gauge('process_start_time_seconds', 'When the process started, in seconds since 1970.', () => startSeconds);
  gauge('process_resident_memory_bytes', 'Memory that is in use, and not swapped out.', () =>
    process.memoryUsage.rss(),
  );
  gauge('process_virtual_memory_bytes', 'Address space in use.', () => kilobytes('status', /^VmSize:\s+(\d+) kB/m));
  gauge('process_virtual_memory_max_bytes', 'Address space that may be used.', () =>
    limit(/^Max address space\s+(\S+)/m, -1),
  );
  gauge('process_open_fds', 'Open file descriptors.', openDescriptors);
  gauge('process_max_fds', 'File descriptors that may be open.', () => limit(/^Max open files\s+(\S+)/m, Infinity));
  gauge(
    'nodejs_heap_size_used_bytes',
    'Bytes of the heap of JavaScript that are in use.',
    () => process.memoryUsage().heapUsed,
  );
  gauge('nodejs_heap_size_total_bytes', 'Bytes of the heap of JavaScript.', () => process.memoryUsage().heapTotal);
  gauge('nodejs_external_memory_bytes', 'Bytes of buffers outside of that heap.', () => process.memoryUsage().external);
  metrics.callback(
    {
      name: 'nodejs_eventloop_active_seconds_total',
      help: 'Seconds in which the one thread that serves requests was at work; its rate is its load, from 0 to 1.',
      type: 'counter',
    },
    () => performance.eventLoopUtilization().active / 1000,
  );
  buildInfo(metrics, version);
}

const NO_LABELS = [] as const;

function samplesOf(
  value: number | undefined,
): { readonly labels: Readonly<Record<string, string>>; readonly value: number }[] {
  return value === undefined ? [] : [{ labels: {}, value }];
}

function buildInfo(metrics: MetricRegistry, version: VersionInfo): void {
  const labels = {
    major: version.major,
    minor: version.minor,
    git_version: version.gitVersion,
    git_commit: version.gitCommit,
    git_tree_state: version.gitTreeState,
    build_date: version.buildDate,
    go_version: version.goVersion,
    compiler: version.compiler,
    platform: version.platform,
  };
  metrics
    .gauge({
      name: 'kubernetes_build_info',
      help: 'Always 1; the labels tell which version of Kubernetes is served, and what was built when.',
      labels: Object.keys(labels) as (keyof typeof labels)[],
    })
    .with(labels)
    .set(1);
}

/** How large the files of the embedded store are. */
export function storageSize(metrics: MetricRegistry, storage: StorageOptions): void {
  if (storage.type !== 'durable') return;
  const { folder } = storage;
  metrics.callback(
    { name: 'apiserver_storage_size_bytes', help: 'Bytes of the store.', labels: ['storage_cluster_id'] },
    () => [{ labels: { storage_cluster_id: 'embedded' }, value: folderBytes(folder) }],
  );
}

function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of orUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? []) {
    const path = join(folder, entry.name);
    bytes += entry.isDirectory() ? folderBytes(path) : (orUndefined(() => statSync(path).size) ?? 0);
  }
  return bytes;
}

function openDescriptors(): number | undefined {
  return orUndefined(() => readdirSync('/proc/self/fd').length);
}

function kilobytes(file: string, pattern: RegExp): number | undefined {
  const found = match(file, pattern);
  return found === undefined ? undefined : Number(found) * 1024;
}

function limit(pattern: RegExp, unlimited: number): number | undefined {
  const found = match('limits', pattern);
  if (found === undefined) return undefined;
  return found === 'unlimited' ? unlimited : Number(found);
}

function match(file: string, pattern: RegExp): string | undefined {
  return pattern.exec(orUndefined(() => readFileSync(`/proc/self/${file}`, 'utf8')) ?? '')?.[1];
}

/** Undefined for what cannot be read: on systems without `/proc`, and for files that are removed while they are counted. */
function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
