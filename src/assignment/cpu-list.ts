// Sets of processors as the kernel writes them in `cpuset.cpus` and `/sys/devices/system/cpu/online`: `0-3,8`.

/** Reads a list of numbers and ranges; the result is sorted. Throws on anything else. */
export function parseCpuList(text: string): readonly number[] {
  const found = new Set<number>();
  for (const part of text
    .trim()
    .split(',')
    .filter((each) => each !== '')) {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(part.trim()) ?? [];
    if (first === '' || Number(last) < Number(first) || Number(last) > MAX_CPU)
      throw new Error(
        `Cannot read the list of processors ${JSON.stringify(text)}: ${JSON.stringify(part)} is no range`,
      );
    for (let cpu = Number(first); cpu <= Number(last); cpu++) found.add(cpu);
  }
  return [...found].sort((left, right) => left - right);
}

/** The highest number that a list may have: the kernel's own limit is 8192 processors. */
const MAX_CPU = 65_535;

/** `0-3,8` for 0, 1, 2, 3 and 8. */
export function formatCpuList(cpus: Iterable<number>): string {
  const sorted = [...new Set(cpus)].sort((left, right) => left - right);
  const ranges: { first: number; last: number }[] = [];
  for (const cpu of sorted) {
    const range = ranges.at(-1);
    if (range?.last === cpu - 1) range.last = cpu;
    else ranges.push({ first: cpu, last: cpu });
  }
  return ranges.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`)).join(',');
}
