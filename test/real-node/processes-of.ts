import { readdir, readFile } from 'node:fs/promises';
import type { NodeLayout } from './node-layout.ts';

/** A process of this process namespace. */
export interface NodeProcess {
  readonly pid: number;
  readonly name: string;
  /** The lines of its /proc/PID/cgroup. */
  readonly groups: string;
}

/** The processes that are in the control groups of a node. */
export async function processesOf({ controlGroup }: Pick<NodeLayout, 'controlGroup'>): Promise<readonly NodeProcess[]> {
  const found: NodeProcess[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const groups = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => undefined); // it has ended meanwhile
    const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined);
    if (groups === undefined || name === undefined || nodeGroup(groups) !== controlGroup) continue;
    found.push({ pid: Number(pid), name: name.trim(), groups });
  }
  return found;
}

/** The control group of the node that a process belongs to: of a further node a group of the node's name, of the first one the root. */
function nodeGroup(groups: string): string {
  return /^\d+:[^:]*:(\/node-\d+)(\/|$)/m.exec(groups)?.[1] ?? '/';
}
