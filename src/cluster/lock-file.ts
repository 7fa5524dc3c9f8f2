import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, isProcessRunning, processStart } from '../base/index.ts';
import { ifThere } from './whole-file.ts';

const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 20;

/**
 * Does something while this process holds `PATH.lock`, as kubectl does before it changes a kubeconfig: a file that only one process
 * can create. Waits some seconds for the holder. The file says which process made it, and one of a process that is gone is taken over;
 * of kubectl's, which is empty, that cannot be known, so it is not removed.
 */
export async function withLockFile<T>(path: string, clock: Clock, act: () => Promise<T>): Promise<T> {
  const lock = `${path}.lock`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await make(lock, clock);
  try {
    return await act();
  } finally {
    await rm(lock, { force: true });
  }
}

async function make(lock: string, clock: Clock): Promise<void> {
  const end = clock.monotonic() + PATIENCE_MS;
  const own = `${lock}.${process.pid}.${made++}`;
  await writeFile(own, holderText(process.pid), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      try {
        await link(own, lock); // with its content, all at once
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        if (await removeDead(lock, own)) continue;
        if (clock.monotonic() >= end) {
          throw new Error(`"${lock}" is there: another program changes the file; remove it if there is none`, {
            cause: error,
          });
        }
      }
      await clock.sleep(LOOK_EVERY_MS);
    }
  } finally {
    await rm(own, { force: true });
  }
}

/** Tells the locks of one process apart. */
let made = 0;

/** Removes a lock whose process is gone; true when it did. Another process may try the same, and must not lose a lock it has just made. */
async function removeDead(lock: string, own: string): Promise<boolean> {
  const holder = await ifThere(readFile(lock, 'utf8'));
  if (holder === undefined) return true;
  if (!isDead(holder)) return false;
  const aside = `${own}.dead`;
  if ((await ifThere(rename(lock, aside).then(() => true))) === undefined) return true;
  if ((await readFile(aside, 'utf8')) !== holder) await link(aside, lock).catch(() => undefined); // a new holder's: put back
  await rm(aside, { force: true });
  return true;
}

/** `PID START`, where the start tells processes with the same number apart. */
function holderText(pid: number): string {
  return `${pid} ${processStart(pid) ?? ''}\n`;
}

function isDead(holder: string): boolean {
  const [, pid = '', start = ''] = /^(\d+) (\d*)\n$/.exec(holder) ?? [];
  if (pid === '') return false;
  if (!isProcessRunning(Number(pid))) return true;
  const now = processStart(Number(pid));
  return start !== '' && now !== undefined && now !== start;
}
