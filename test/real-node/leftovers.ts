import { existsSync } from 'node:fs';
import { readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { MACHINE_SETTINGS } from './enter-script.ts';

/** The field of /proc/PID/stat with the time of the start, and its unit, which Linux fixes for programs. */
const START_FIELD = 22;
const TICKS_PER_SECOND = 100;

/** What a run has used of the machine. */
export interface Used {
  readonly folder: string;
  readonly controlGroups: readonly string[];
  /** Names of namespaces, such as `net:[4026532281]`, that were the run's own. */
  readonly namespaces: ReadonlySet<string>;
  /** When the run ended, in seconds since the machine's start. The kernel may give the names to other namespaces after that. */
  readonly endedAt: number;
  /** Values that the machine's settings had before. */
  readonly settings: ReadonlyMap<string, string>;
}

/** The machine's settings that a kubelet changes, now. */
export async function readSettings(): Promise<Map<string, string>> {
  const settings = new Map<string, string>();
  for (const name of Object.keys(MACHINE_SETTINGS)) {
    const path = join('/proc/sys', name);
    if (existsSync(path)) settings.set(path, (await readFile(path, 'utf8')).trim());
  }
  return settings;
}

/** Looks for processes, namespaces, mounts, control groups and settings that a run has left behind, one line each. Changed settings are put back. */
export async function findLeftovers(used: Used): Promise<string[]> {
  return [
    ...(await leftProcesses(used)),
    ...(await leftMounts(used)),
    ...(await leftGroups(used)),
    ...(await leftSettings(used)),
    ...(existsSync(used.folder) ? [`folder ${used.folder}`] : []),
  ];
}

/** Seconds since the machine's start. */
export async function uptimeSeconds(): Promise<number> {
  return Number((await readFile('/proc/uptime', 'utf8')).split(' ')[0]);
}

/** When a process was started, in seconds since the machine's start; undefined when it has ended. */
async function startOf(pid: string): Promise<number | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined); // it has ended meanwhile
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from the third field on: names may have spaces
  return Number(fields[START_FIELD - 3]) / TICKS_PER_SECOND;
}

/** Whether a process is in the control groups of a run beside this one, which may have got the names of our namespaces. */
async function isOfOtherRun(pid: string, folder: string): Promise<boolean> {
  const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => ''); // it has ended meanwhile
  const run = /\/(keelson-node-[^/\n]+)/.exec(groups)?.[1];
  return run !== undefined && run !== basename(folder);
}

async function leftProcesses({ folder, namespaces, endedAt }: Used): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    if (await isOfOtherRun(pid, folder)) continue;
    const started = await startOf(pid);
    if (started === undefined || started > endedAt) continue;
    for (const kind of ['pid', 'net', 'mnt', 'cgroup']) {
      const name = await readlink(`/proc/${pid}/ns/${kind}`).catch(() => ''); // it has ended meanwhile
      if (namespaces.has(name)) found.push(`process ${pid} in ${name}`);
    }
  }
  return found;
}

async function leftMounts({ folder, namespaces }: Used): Promise<string[]> {
  const lines = (await readFile('/proc/self/mountinfo', 'utf8')).split('\n');
  return lines
    .filter((line) => line.includes(folder) || [...namespaces].some((name) => line.includes(` ${name} `)))
    .map((line) => `mount ${line}`);
}

async function leftGroups({ controlGroups }: Used): Promise<string[]> {
  const found: string[] = [];
  for (const folder of controlGroups.filter((path) => existsSync(path))) {
    found.push(`control group ${folder}`);
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
      if (entry.isDirectory()) found.push(`control group ${join(entry.parentPath, entry.name)}`);
  }
  return found;
}

async function leftSettings({ settings }: Used): Promise<string[]> {
  const found: string[] = [];
  for (const [path, before] of settings) {
    const now = (await readFile(path, 'utf8')).trim();
    if (now === before) continue;
    found.push(`setting ${path} was ${before} and became ${now}; it is ${before} again`);
    await writeFile(path, before);
  }
  return found;
}
