// Processes of this machine, by their ids.
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { promisify } from 'node:util';

/** A process. The time of its start distinguishes it from a later one of the same id. */
export interface ProcessIdentity {
  readonly pid: number;
  /** As the system counts it: never compared with anything but itself. Empty where the process could not be looked at. */
  readonly startTime: string;
}

/** What the processes of a group use. */
export interface GroupUsage {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** Clock ticks and pages of Linux, as all its common architectures have them for programs. */
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

/** The identity of a process; undefined when there is none of this id. */
export async function processIdentity(pid: number): Promise<ProcessIdentity | undefined> {
  if (process.platform === 'linux') {
    const fields = await statFields(pid);
    return fields === undefined || fields[0] === 'Z' ? undefined : { pid, startTime: fields[19] ?? '' };
  }
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]);
    return { pid, startTime: stdout.trim() };
  } catch {
    return undefined; // ps fails when there is no such process
  }
}

/**
 * Whether a process of a group has this variable, `NAME=value`. The number of a group may be used again, a variable with a random value is
 * not. Only Linux can tell.
 */
export async function hasVariable(group: number, variable: string): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name) || Number((await statFields(Number(name)))?.[2]) !== group) continue;
    const variables = await readFile(`/proc/${name}/environ`, 'latin1').catch(() => ''); // it is gone
    if (variables.split('\0').includes(variable)) return true;
  }
  return false;
}

/** Sends a signal to all processes of a group; a group that is gone is left alone. */
export function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** The code that shells and container runtimes report for a process that a signal has ended. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0));
}

/** Whether a name is one of this system's signals. */
export function isSignal(name: string): name is NodeJS.Signals {
  return Object.hasOwn(constants.signals, name);
}

/** What each of these groups uses now. */
export async function usageOfGroups(groups: ReadonlySet<number>): Promise<ReadonlyMap<number, GroupUsage>> {
  if (groups.size === 0) return new Map();
  const found = process.platform === 'linux' ? await linuxProcesses() : await otherProcesses();
  const usage = new Map<number, GroupUsage>();
  for (const { group, cpuNanoseconds, memoryBytes } of found) {
    if (!groups.has(group)) continue;
    const sum = usage.get(group) ?? { cpuNanoseconds: 0, memoryBytes: 0 };
    usage.set(group, {
      cpuNanoseconds: sum.cpuNanoseconds + cpuNanoseconds,
      memoryBytes: sum.memoryBytes + memoryBytes,
    });
  }
  return usage;
}

interface ListedProcess extends GroupUsage {
  readonly group: number;
}

async function linuxProcesses(): Promise<readonly ListedProcess[]> {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(names.map((name) => statFields(Number(name))));
  return all.flatMap((fields) => {
    if (fields === undefined) return [];
    const number = (index: number): number => Number(fields[index] ?? 0);
    const ticks = number(11) + number(12) + number(13) + number(14); // its own time and that of its children that have ended
    return [
      {
        group: number(2),
        cpuNanoseconds: (ticks / TICKS_PER_SECOND) * 1e9,
        memoryBytes: number(21) * PAGE_BYTES,
      },
    ];
  });
}

/** The fields of /proc/PID/stat after the name, which is in parentheses and may contain spaces; the first is the state. */
async function statFields(pid: number): Promise<readonly string[] | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // the process is gone
  }
}

async function otherProcesses(): Promise<readonly ListedProcess[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axo', 'pgid=,time=,rss='], { maxBuffer: 16 * 1024 * 1024 });
  return stdout.split('\n').flatMap((line) => {
    const [group, time = '', kibibytes] = line.trim().split(/\s+/);
    if (group === undefined || kibibytes === undefined) return [];
    const seconds = time.split(/[:-]/).reduce((total, part) => total * 60 + Number(part), 0);
    return [{ group: Number(group), cpuNanoseconds: seconds * 1e9, memoryBytes: Number(kibibytes) * 1024 }];
  });
}
