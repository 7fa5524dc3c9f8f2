import { mkdir, open, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCode } from './error-code.ts';

const PRIVATE_MODE = 0o700;

/**
 * Creates a folder, and those above it, that only the owner may read. A new folder survives a power failure only when its parent is
 * synced, too. One at a time, because Node.js' recursive `mkdir` never ends where a file system refuses with ENOENT, as /proc does.
 */
export async function makeDurableFolder(folder: string): Promise<void> {
  const path = resolve(folder);
  const missing: string[] = [];
  for (let each = path; !(await exists(each)); each = dirname(each)) missing.unshift(each);
  if (missing.length === 0) await mkdir(path, { recursive: true }); // refuses a file
  for (const each of missing) {
    await mkdir(each, { mode: PRIVATE_MODE }).catch(ignoreExisting);
    await syncFolder(dirname(each));
  }
}

/** Waits until the names in a folder are on disk. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Another process may have made the folder meanwhile. */
function ignoreExisting(error: unknown): void {
  if (errorCode(error) !== 'EEXIST') throw error;
}
