import type { CgroupCpu } from '../../node/index.ts';
import { sharesOf } from '../cgroups/cpu-weight.ts';
import { figureOf, namedFigures, type ReadFigure } from './figure-texts.ts';

/** The kernel's unit of processor time in version 1 is 1/100 s on all machines. */
const TICKS_PER_SECOND = 100;
const NANOSECONDS = 1e9;
const MICROSECONDS = 1e6;

/** Processor time and its limits; undefined where processors are not counted. */
export function cpuFigures(read: ReadFigure, version: 1 | 2): Promise<CgroupCpu | undefined> {
  return version === 1 ? splitFigures(read) : unifiedFigures(read);
}

async function splitFigures(read: ReadFigure): Promise<CgroupCpu | undefined> {
  const [total, parts, stat, shares, period, quota] = await Promise.all([
    read('cpuacct', 'cpuacct.usage'),
    read('cpuacct', 'cpuacct.stat'),
    read('cpu', 'cpu.stat'),
    read('cpu', 'cpu.shares'),
    read('cpu', 'cpu.cfs_period_us'),
    read('cpu', 'cpu.cfs_quota_us'),
  ]);
  if (total === '') return undefined;
  const [times, counts] = [namedFigures(parts), namedFigures(stat)];
  return {
    totalSeconds: figureOf(total) / NANOSECONDS,
    userSeconds: (times.get('user') ?? 0) / TICKS_PER_SECOND,
    systemSeconds: (times.get('system') ?? 0) / TICKS_PER_SECOND,
    shares: figureOf(shares),
    ...limits(quota, period),
    throttling: throttling(counts, {
      throttledSeconds: (counts.get('throttled_time') ?? 0) / NANOSECONDS,
      burstSeconds: (counts.get('burst_time') ?? 0) / NANOSECONDS,
    }),
  };
}

async function unifiedFigures(read: ReadFigure): Promise<CgroupCpu | undefined> {
  const [stat, weight, max] = await Promise.all([
    read('cpu', 'cpu.stat'),
    read('cpu', 'cpu.weight'),
    read('cpu', 'cpu.max'),
  ]);
  if (stat === '') return undefined;
  const counts = namedFigures(stat);
  const seconds = (name: string): number => (counts.get(name) ?? 0) / MICROSECONDS;
  const [quota = '', period = ''] = max.split(' ');
  return {
    totalSeconds: seconds('usage_usec'),
    userSeconds: seconds('user_usec'),
    systemSeconds: seconds('system_usec'),
    shares: weight === '' ? 0 : sharesOf(figureOf(weight)),
    ...limits(quota, period),
    throttling: throttling(counts, {
      throttledSeconds: seconds('throttled_usec'),
      burstSeconds: seconds('burst_usec'),
    }),
  };
}

function limits(quota: string, period: string): Pick<CgroupCpu, 'periodMicroseconds' | 'quotaMicroseconds'> {
  return { periodMicroseconds: figureOf(period), quotaMicroseconds: Math.max(0, figureOf(quota)) };
}

function throttling(
  counts: ReadonlyMap<string, number>,
  seconds: Pick<CgroupCpu['throttling'], 'throttledSeconds' | 'burstSeconds'>,
): CgroupCpu['throttling'] {
  return {
    periods: counts.get('nr_periods') ?? 0,
    throttledPeriods: counts.get('nr_throttled') ?? 0,
    burstPeriods: counts.get('nr_bursts') ?? 0,
    ...seconds,
  };
}
