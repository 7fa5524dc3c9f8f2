import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MOUNT = '/sys/fs/cgroup';
const REMOVE_LIMIT_MS = 20_000;
const POLL_MS = 100;

/** Why control groups of this machine cannot hold a node; undefined when they can. */
export function whyNoControlGroups(): string | undefined {
  return existsSync(join(MOUNT, 'memory')) && existsSync(join(MOUNT, 'cpu'))
    ? undefined
    : 'it needs the control groups of version 1, and this machine has only those of version 2';
}

/** A control group of this name below the caller's own, in every hierarchy: its folders. */
export async function createControlGroups(name: string): Promise<string[]> {
  const own = (await readFile('/proc/self/cgroup', 'utf8')).trim().split('\n');
  const folders: string[] = [];
  for (const line of own) {
    const [, controllers = '', path = '/'] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    const parent = join(MOUNT, controllers === '' ? 'unified' : controllers.replace(/^name=/, ''), path);
    if (!existsSync(parent)) continue;
    const folder = join(parent, name);
    await mkdir(folder);
    folders.push(folder);
    if (!controllers.split(',').includes('cpuset')) continue;
    // A cpuset takes no process before it has processors and memory.
    for (const file of ['cpuset.cpus', 'cpuset.mems'])
      await writeFile(join(folder, file), await readFile(join(parent, file)));
  }
  return folders;
}

/** Removes the groups with all below them, as soon as their last processes have ended. The check for leftovers finds groups that stay. */
export async function removeControlGroups(folders: readonly string[]): Promise<void> {
  const deadline = performance.now() + REMOVE_LIMIT_MS;
  for (const folder of folders)
    while (existsSync(folder) && performance.now() < deadline) {
      await removeTree(folder);
      if (existsSync(folder)) await sleep(POLL_MS);
    }
}

async function removeTree(folder: string): Promise<void> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
    await rmdir(folder);
  } catch {
    // a process in it is still ending: the next round removes it
  }
}
