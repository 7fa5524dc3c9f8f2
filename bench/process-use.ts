import { readFileSync } from 'node:fs';

/** Resident memory of a process and of those that it started. */
export function rssMbOf(pid: number): number {
  return sumOver(pid, (each) => {
    const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${each}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) / 1024;
  });
}

/** User and system time of a process and of those that it started, also of those that have ended; the kernel counts hundredths of a second. */
export function cpuMsOf(pid: number): number {
  return sumOver(pid, (each) => {
    const fields = readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
  });
}

function sumOver(pid: number, of: (pid: number) => number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + sumOverChild(Number(child), of), of(pid));
}

function sumOverChild(pid: number, of: (pid: number) => number): number {
  try {
    return sumOver(pid, of);
  } catch {
    return 0; // it has ended meanwhile
  }
}
