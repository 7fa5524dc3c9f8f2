// The families of cAdvisor's metrics that a kubelet serves, as a table: name, meaning, and which figure it is.
import type { Family, Sample } from '../backend/index.ts';
import type { CgroupFigures, Pressure } from '../runtime/index.ts';
import { filesystemFamilies } from './cadvisor-disks.ts';
import { networkFamilies } from './cadvisor-network.ts';
import { counter, type FamilyRow, gauge } from './cadvisor-rows.ts';
import type { Cgroup } from './cgroup.ts';

const MICROSECONDS = 1e6;

const seconds = (ms: number): number => Math.floor(ms / 1000);

const TIMED: readonly FamilyRow[] = [
  gauge('last_seen', 'When the group was last measured, in seconds since 1970.', ({ atMs }) => seconds(atMs)),
  counter('cpu_usage_seconds_total', 'Processor time that was used, in seconds of one core.', ({ cpu }) =>
    (cpu?.totalSeconds ?? 0) === 0 ? undefined : [{ labels: { cpu: 'total' }, value: cpu?.totalSeconds ?? 0 }],
  ),
  counter('cpu_user_seconds_total', 'Processor time outside the kernel, in seconds.', ({ cpu }) => cpu?.userSeconds),
  counter('cpu_system_seconds_total', 'Processor time inside the kernel, in seconds.', ({ cpu }) => cpu?.systemSeconds),
  counter('cpu_cfs_periods_total', 'Periods of the processor limit.', limited('periods')),
  counter(
    'cpu_cfs_throttled_periods_total',
    'Periods in which processes were held back by the processor limit.',
    limited('throttledPeriods'),
  ),
  counter(
    'cpu_cfs_throttled_seconds_total',
    'Time for which processes were held back by the processor limit, in seconds.',
    limited('throttledSeconds'),
  ),
  counter(
    'cpu_cfs_burst_periods_total',
    'Periods in which time that was saved before was used.',
    limited('burstPeriods'),
  ),
  counter(
    'cpu_cfs_burst_seconds_total',
    'Processor time beyond the limit that was saved before, in seconds.',
    limited('burstSeconds'),
  ),
  gauge('memory_cache', 'Memory that files back, in bytes.', ({ memory }) => memory?.cache),
  gauge('memory_rss', 'Memory that no file backs, in bytes.', ({ memory }) => memory?.rss),
  gauge('memory_kernel_usage', 'Memory of the kernel, in bytes.', ({ memory }) => memory?.kernel),
  gauge('memory_mapped_file', 'Memory of mapped files, in bytes.', ({ memory }) => memory?.mappedFile),
  gauge('memory_swap', 'Swap that is used, in bytes.', ({ memory }) => memory?.swap),
  counter('memory_failcnt', 'How often the memory limit was reached.', ({ memory }) => memory?.limitHits),
  gauge('memory_usage_bytes', 'Memory that is used, with caches, in bytes.', ({ memory }) => memory?.usage),
  gauge('memory_max_usage_bytes', 'The most memory that was used, in bytes.', ({ memory }) => memory?.maxUsage),
  gauge('memory_working_set_bytes', 'Memory that cannot be reclaimed, in bytes.', ({ memory }) => memory?.workingSet),
  gauge(
    'memory_total_active_file_bytes',
    'Memory of files that were used lately, in bytes.',
    ({ memory }) => memory?.activeFile,
  ),
  gauge(
    'memory_total_inactive_file_bytes',
    'Memory of files that were not used lately, in bytes.',
    ({ memory }) => memory?.inactiveFile,
  ),
  counter('memory_failures_total', 'Page faults, by kind.', ({ memory }) =>
    (
      [
        ['pgfault', 'container', memory?.ownPageFaults],
        ['pgmajfault', 'container', memory?.ownMajorPageFaults],
        ['pgfault', 'hierarchy', memory?.pageFaults],
        ['pgmajfault', 'hierarchy', memory?.majorPageFaults],
      ] as const
    ).flatMap(([failure_type, scope, value]) =>
      value === undefined ? [] : [{ labels: { failure_type, scope }, value }],
    ),
  ),
  counter('oom_events_total', 'Processes that were killed for want of memory.', ({ memory }) => memory?.kills),
  gauge('processes', 'Processes that run.', ({ processes }) => processes?.count),
  gauge('file_descriptors', 'Descriptors that processes have open.', ({ processes }) => processes?.descriptors),
  gauge('sockets', 'Sockets that processes have open.', ({ processes }) => processes?.sockets),
  gauge('threads', 'Threads that run.', ({ processes }) => processes?.threads),
  gauge('threads_max', 'Threads that may run; 0 without a limit.', ({ processes }) => processes?.maxThreads),
  gauge('ulimits_soft', 'Soft limits of the first process; -1 without a limit.', ({ processes }) =>
    processes?.maxOpenFiles === undefined
      ? undefined
      : [{ labels: { ulimit: 'max_open_files' }, value: processes.maxOpenFiles }],
  ),
  ...pressureRows(),
  ...networkFamilies(),
  ...filesystemFamilies(),
];

/** What was configured: without a time. */
const UNTIMED: readonly FamilyRow[] = [
  gauge('start_time_seconds', 'When the group was created, in seconds since 1970.', ({ createdAtMs }) =>
    seconds(createdAtMs),
  ),
  gauge('spec_cpu_period', 'Period of the processor limit, in microseconds.', ({ cpu }) => cpu?.periodMicroseconds),
  gauge(
    'spec_cpu_quota',
    'Processor time that may be used in each period, in microseconds.',
    ({ cpu }) => cpu?.quotaMicroseconds || undefined,
  ),
  gauge('spec_cpu_shares', 'Share of the processor.', ({ cpu }) => cpu?.shares),
  gauge('spec_memory_limit_bytes', 'Memory limit in bytes; 0 for none.', ({ memory }) => memory?.limit),
  gauge(
    'spec_memory_swap_limit_bytes',
    'Limit of swap, in version 1 of cgroups of memory and swap together, in bytes; 0 for none.',
    ({ memory }) => memory?.swapLimit,
  ),
  gauge(
    'spec_memory_reservation_limit_bytes',
    'Memory that is reclaimed last, in bytes; 0 for none.',
    ({ memory }) => memory?.reservation,
  ),
];

/** The families with the samples of all groups. */
export function groupFamilies(groups: readonly Cgroup[]): readonly Family[] {
  const family = ({ name, type, help, of }: FamilyRow, isTimed: boolean): Family => ({
    name: `container_${name}`,
    type,
    help,
    samples: groups.flatMap(({ labels, figures }): readonly Sample[] => {
      const found = of(figures) ?? [];
      const at = isTimed ? { atMs: figures.atMs } : {};
      const own = typeof found === 'number' ? [{ value: found }] : found;
      return own.map((sample) => ({ labels: { ...labels, ...sample.labels }, value: sample.value, ...at }));
    }),
  });
  return [...TIMED.map((row) => family(row, true)), ...UNTIMED.map((row) => family(row, false))];
}

type Throttling = NonNullable<NonNullable<CgroupFigures['cpu']>['throttling']>;

/** Counts that groups with a processor limit have. */
function limited(member: keyof Throttling): FamilyRow['of'] {
  return ({ cpu }) => ((cpu?.quotaMicroseconds ?? 0) === 0 ? undefined : cpu?.throttling?.[member]);
}

function pressureRows(): readonly FamilyRow[] {
  const kinds = [
    ['waiting', 'some', 'Time in which tasks waited for the resource, in seconds.'],
    ['stalled', 'full', 'Time in which all tasks waited for the resource, in seconds.'],
  ] as const satisfies readonly (readonly [string, keyof Pressure, string])[];
  return (['cpu', 'memory', 'io'] as const).flatMap((resource) =>
    kinds.map(([word, share, help]) =>
      counter(`pressure_${resource}_${word}_seconds_total`, help, ({ pressure }) => {
        const found = pressure?.[resource];
        return found === undefined ? undefined : found[share].total / MICROSECONDS;
      }),
    ),
  );
}
