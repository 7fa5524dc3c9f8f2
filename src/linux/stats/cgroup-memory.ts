import type { CgroupMemoryFigures } from '../../node/index.ts';
import { figureOf, limitOf, namedFigures, type ReadFigure } from './figure-texts.ts';

/** Memory and its limits; undefined where memory is not counted. */
export function memoryFigures(read: ReadFigure, version: 1 | 2): Promise<CgroupMemoryFigures | undefined> {
  return version === 1 ? splitFigures(read) : unifiedFigures(read);
}

async function splitFigures(read: ReadFigure): Promise<CgroupMemoryFigures | undefined> {
  const file = (name: string): Promise<string> => read('memory', `memory.${name}`);
  const [text, usage, maxUsage, hits, kernel, outOfMemory, limit, swapLimit, soft] = await Promise.all(
    [
      ...['stat', 'usage_in_bytes', 'max_usage_in_bytes', 'failcnt', 'kmem.usage_in_bytes', 'oom_control'],
      ...['limit_in_bytes', 'memsw.limit_in_bytes', 'soft_limit_in_bytes'],
    ].map(file),
  );
  if (text === undefined || text === '') return undefined;
  const stat = namedFigures(text);
  const total = (name: string): number => stat.get(`total_${name}`) ?? stat.get(name) ?? 0;
  return {
    ...counted(figureOf(usage ?? ''), total('inactive_file')),
    cache: total('cache'),
    rss: total('rss'),
    swap: total('swap'),
    mappedFile: total('mapped_file'),
    activeFile: total('active_file'),
    kernel: figureOf(kernel ?? ''),
    maxUsage: figureOf(maxUsage ?? ''),
    limitHits: figureOf(hits ?? ''),
    pageFaults: total('pgfault'),
    majorPageFaults: total('pgmajfault'),
    ownPageFaults: stat.get('pgfault') ?? 0,
    ownMajorPageFaults: stat.get('pgmajfault') ?? 0,
    kills: namedFigures(outOfMemory ?? '').get('oom_kill') ?? 0,
    limit: limitOf(limit ?? ''),
    swapLimit: limitOf(swapLimit ?? ''),
    reservation: limitOf(soft ?? ''),
  };
}

async function unifiedFigures(read: ReadFigure): Promise<CgroupMemoryFigures | undefined> {
  const file = (name: string): Promise<string> => read('memory', `memory.${name}`);
  const [text, current, peak, events, limit, swap, swapLimit, min] = await Promise.all(
    ['stat', 'current', 'peak', 'events', 'max', 'swap.current', 'swap.max', 'min'].map(file),
  );
  if (text === undefined || text === '') return undefined;
  const [stat, counts] = [namedFigures(text), namedFigures(events ?? '')];
  const of = (name: string): number => stat.get(name) ?? 0;
  // the cgroup of the whole machine has no file with its usage
  const usage = current === undefined || current === '' ? of('anon') + of('file') : figureOf(current);
  return {
    ...counted(usage, of('inactive_file')),
    cache: of('file'),
    rss: of('anon'),
    swap: figureOf(swap ?? ''),
    mappedFile: of('file_mapped'),
    activeFile: of('active_file'),
    kernel: of('kernel'),
    maxUsage: figureOf(peak ?? ''),
    limitHits: counts.get('max') ?? 0,
    pageFaults: of('pgfault'),
    majorPageFaults: of('pgmajfault'),
    ownPageFaults: of('pgfault'),
    ownMajorPageFaults: of('pgmajfault'),
    kills: counts.get('oom_kill') ?? 0,
    limit: limitOf(limit ?? ''),
    swapLimit: limitOf(swapLimit ?? ''),
    reservation: limitOf(min ?? ''),
  };
}

/** The working set is what is used without files that can be dropped. */
function counted(
  usage: number,
  inactiveFile: number,
): Pick<CgroupMemoryFigures, 'usage' | 'inactiveFile' | 'workingSet'> {
  return { usage, inactiveFile, workingSet: Math.max(0, usage - inactiveFile) };
}
