import { constants } from 'node:fs';
import { mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../base/index.ts';

const PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 20;

/**
 * Does something while this process holds `PATH.lock`, as kubectl does before it changes a kubeconfig: a file that only one process
 * can create. Waits some seconds for the holder. A lock that stays longer was probably left behind, but that cannot be verified, so it
 * is not removed.
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
  const { O_CREAT, O_EXCL, O_RDONLY } = constants;
  const end = clock.monotonic() + PATIENCE_MS;
  for (;;) {
    try {
      const file = await open(lock, O_CREAT | O_EXCL | O_RDONLY, 0o600);
      await file.close();
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (clock.monotonic() >= end) {
        throw new Error(`"${lock}" is there: another program changes the file; remove it if there is none`, {
          cause: error,
        });
      }
    }
    await clock.sleep(LOOK_EVERY_MS);
  }
}
