import { readlink } from 'node:fs/promises';
import { type Logger, messageOf } from '../../base/index.ts';
import { errorCode } from '../../system/index.ts';
import type { CgroupTree } from './cgroup-tree.ts';

export interface ProcessPlaces {
  /** Where the agent itself runs; empty for where it was started. */
  readonly kubeletCgroups: string;
  /** Where all processes of the machine run that are in no cgroup; empty for where they were started. */
  readonly systemCgroups: string;
}

/** Processes that appear while others are moved are found by another look, a limited number of times. */
const LOOKS = 10;
const INIT = 1;

/** Moves the agent, and processes of the machine, into the cgroups that its configuration names. What cannot be moved is logged and stays. */
export async function moveProcesses(
  { kubeletCgroups, systemCgroups }: ProcessPlaces,
  { tree, log }: { readonly tree: CgroupTree; readonly log: Logger },
): Promise<void> {
  if (systemCgroups === '/') throw new Error('system container cannot be root ("/")');
  const into = async (path: string, pids: readonly number[]): Promise<void> => {
    await tree.create(path);
    for (const pid of pids)
      await tree.join(path, pid).catch((error: unknown) => {
        if (errorCode(error) !== 'ESRCH')
          log.warn('process cannot be moved', { pid, cgroup: path, error: messageOf(error) });
      });
  };
  if (systemCgroups !== '')
    for (let look = 0; look < LOOKS; look++) {
      const pids = await movable(await tree.ownProcesses('/'));
      if (pids.length === 0) break;
      await into(systemCgroups, pids);
    }
  if (kubeletCgroups !== '') await into(kubeletCgroups, [process.pid]);
}

/** All but the first process and threads of the kernel, which belong to no program. */
async function movable(pids: readonly number[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of pids) if (pid !== INIT && (await hasProgram(pid))) found.push(pid);
  return found;
}

async function hasProgram(pid: number): Promise<boolean> {
  try {
    await readlink(`/proc/${pid}/exe`);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ENOENT';
  }
}
