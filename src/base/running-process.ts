import { readFileSync } from 'node:fs';

/** True while a process of this machine runs. One that has ended and whose parent has not noticed, a zombie, does not run. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // another user's
  }
  return statOf(pid)?.[STATE] !== 'Z';
}

/** When a process began, in ticks since the machine did; undefined where the system does not tell. */
export function processStart(pid: number): string | undefined {
  return statOf(pid)?.[START];
}

const STATE = 0;
const START = 19;

/** What Linux tells about a process, from its state on; undefined for other systems and processes that are gone. */
function statOf(pid: number): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
