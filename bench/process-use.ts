import { readdirSync, readFileSync } from 'node:fs';

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
  // Each thread has its own list: programs in Go start others from any of them.
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => childrenOf(pid, thread));
  return children.reduce((sum, child) => sum + sumOverChild(Number(child), of), of(pid));
}

function childrenOf(pid: number, thread: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean);
  } catch {
    return []; // the thread has ended meanwhile
  }
}

function sumOverChild(pid: number, of: (pid: number) => number): number {
  try {
    return sumOver(pid, of);
  } catch {
    return 0; // it has ended meanwhile
  }
}
