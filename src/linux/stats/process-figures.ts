import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { CgroupProcesses } from '../../node/index.ts';
import { textOf } from '../machine/text-of.ts';
import { figureOf, limitOf, type ReadFigure } from './figure-texts.ts';

interface ProcessOptions {
  readonly root: string;
  readonly pids: readonly number[];
  /** Whether this is the cgroup of the whole machine. */
  readonly isWhole: boolean;
}

/** The links of a process's descriptors that are read together. */
const LINKS_AT_ONCE = 64;

/** The processes in a cgroup, without those of cgroups below. Those of other process namespaces cannot be seen. */
export async function processesIn(read: ReadFigure): Promise<readonly number[]> {
  const text = await read('cpu', 'cgroup.procs');
  return text
    .split('\n')
    .map(Number)
    .filter((pid) => pid > 0);
}

/** Processes with what they have opened; undefined where neither processes nor threads are counted. */
export async function processFigures(
  read: ReadFigure,
  { root, pids, isWhole }: ProcessOptions,
): Promise<CgroupProcesses | undefined> {
  const [current, max] = await Promise.all([read('pids', 'pids.current'), read('pids', 'pids.max')]);
  let [descriptors, sockets] = [0, 0];
  for (const pid of pids) {
    const opened = await openedBy(join(root, 'proc', String(pid), 'fd'));
    descriptors += opened.descriptors;
    sockets += opened.sockets;
  }
  const first = isWhole ? 1 : pids[0];
  const maxOpenFiles = first === undefined ? undefined : await openFilesLimit(root, first);
  return {
    count: pids.length,
    descriptors,
    sockets,
    ...(current === '' ? {} : { threads: figureOf(current), maxThreads: limitOf(max) }),
    ...(maxOpenFiles === undefined ? {} : { maxOpenFiles }),
  };
}

async function openedBy(folder: string): Promise<{ readonly descriptors: number; readonly sockets: number }> {
  const names = await readdir(folder).catch(() => []); // the process has ended
  let sockets = 0;
  for (let at = 0; at < names.length; at += LINKS_AT_ONCE) {
    const links = await Promise.all(
      names.slice(at, at + LINKS_AT_ONCE).map((name) => readlink(join(folder, name)).catch(() => '')),
    );
    sockets += links.filter((link) => link.startsWith('socket')).length;
  }
  return { descriptors: names.length, sockets };
}

async function openFilesLimit(root: string, pid: number): Promise<number | undefined> {
  const text = await textOf(join(root, 'proc', String(pid), 'limits'));
  const soft = /^Max open files +(\S+)/m.exec(text)?.[1];
  if (soft === undefined) return undefined;
  return soft === 'unlimited' ? -1 : Number(soft);
}
